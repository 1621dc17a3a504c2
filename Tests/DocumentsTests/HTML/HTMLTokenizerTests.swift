import CGumbo
import DocumentSyntax
import Testing

@testable import Documents

struct HTMLTokenizerTests {
    private func tags(_ parts: [String]) -> [String] {
        var tokenizer = HTMLTokenizer()
        var result: [String] = []
        for part in parts {
            let bytes = Array(part.utf8)
            bytes.withUnsafeBufferPointer { buffer in
                var position = 0
                while let tag = tokenizer.nextTag(in: buffer, from: &position) {
                    let name = String(decoding: bytes[tag.name], as: UTF8.self)
                    result.append(
                        (tag.isEnd ? "/" : "") + name + (tag.isSelfClosing ? "/" : ""))
                }
            }
        }
        return result
    }

    @Test(arguments: [
        ("<a><b/></c>", ["a", "b/", "/c"]), ("<a b c=d e='f>' g=\"h>\">", ["a"]),
        ("<a b=c/>", ["a"]), ("<a b='c'/>", ["a/"]), ("<a/b>", ["a"]), ("<a =b=c>", ["a"]),
        ("<a b = >", ["a"]), ("< a><1><é>", []), ("<a", []), ("<a b='", []), ("a<b<c>", ["b<c"]),
        ("<!doctype html><?x y><a>", ["a"]), ("</ x><a></>", ["a"]), ("<!-- <x> --><a>", ["a"]),
        ("<!--><a>", ["a"]), ("<!---><a>", ["a"]), ("<!-- --!><a>", ["a"]), ("<!-- -- ><a>", []),
        ("<script><a></script><b>", ["script", "/script", "b"]),
        ("<SCRIPT></scriptx></Script ><b>", ["SCRIPT", "/Script", "b"]),
        ("<script><!--<script></script><a>--></script><b>", ["script", "/script", "b"]),
        ("<script><!--<script>--></script><b>", ["script", "/script", "b"]),
        ("<style><!--</style><b>", ["style", "/style", "b"]), ("<title><b>", ["title"]),
        ("<plaintext></plaintext><b>", ["plaintext"]),
    ])
    func findsTags(html: String, expected: [String]) {
        #expect(tags([html]) == expected)
    }

    @Test(arguments: [
        (["<!-- x", "<a>", "--><b>"], ["b"]),
        (["<script>", "<a>", "</script><b>"], ["script", "/script", "b"]),
        (["<a", "<b>"], ["b"]),
    ])
    func continuesInTheNextPart(parts: [String], expected: [String]) {
        #expect(tags(parts) == expected)
    }
}

struct DecodedTextTests {
    private func decoded(_ source: String, isAttribute: Bool = true) -> DecodedText {
        Array(source.utf8).withUnsafeBufferPointer { DecodedText($0, isAttribute: isAttribute) }
    }

    private func text(_ source: String, isAttribute: Bool = true) -> String {
        String(decoding: decoded(source, isAttribute: isAttribute).bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("abc", "abc", 1..<2, "b"), ("a&amp;b", "a&b", 1..<2, "&amp;"),
        ("a&amp;b", "a&b", 2..<3, "b"),
        ("&#97;b", "ab", 0..<1, "&#97;"), ("&#x61b", "\u{61B}", 0..<2, "&#x61b"),
        ("a\r\nb", "a\nb", 1..<2, "\r\n"), ("a\rb", "a\nb", 2..<3, "b"),
        ("\0b", "\u{FFFD}b", 3..<4, "b"),
        ("&fjlig;x", "fjx", 2..<3, "x"), ("&NotEqualTilde;x", "≂̸x", 5..<6, "x"),
        ("&copy\u{338}", "©\u{338}", 0..<2, "&copy"), ("&ampx", "&ampx", 0..<1, "&"),
        ("&amp=&amp;", "&amp=&", 0..<4, "&amp"), ("&;&#;&#x;", "&;&#;&#x;", 0..<9, "&;&#;&#x;"),
    ])
    func mapsTextToItsSource(source: String, value: String, range: Range<Int>, expected: String) {
        let bytes = Array(source.utf8)
        #expect(text(source) == value)
        let place = decoded(source).sourceRange(range)
        #expect(String(decoding: bytes[place], as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("b&amp;c", "b&c"), ("\"&quot;'", "\"\"'"), ("", ""), ("&lt", "<"), ("&nope;&", "&nope;&"),
        ("x\r\ny", "x\ny"), ("<p>&gt;</p>", "<p>></p>"),
        ("&#0;&#x80;&#xD800;", "\u{FFFD}€\u{FFFD}"),
        ("&#x110000;&#99999999999999;", "\u{FFFD}\u{FFFD}"), ("&#X41;&#x;&#xg", "A&#x;&#xg"),
        ("&notit;&notin;", "&notit;∉"), ("?a&lt=b&ltc", "?a&lt=b&ltc"),
    ])
    func decodesReferencesInAttributes(source: String, value: String) {
        #expect(text(source) == value)
    }

    @Test(arguments: [
        ("&notit;", "¬it;"), ("?a&lt=b&ltc", "?a<=b<c"), ("&ampamp;", "&amp;"), ("a\0", "a\0"),
    ])
    func decodesReferencesInText(source: String, value: String) {
        #expect(text(source, isAttribute: false) == value)
    }

    /// gumbo has the same table.
    @Test func knowsAllNames() throws {
        let names = NamedCharacters.table.keys
        #expect(names.count == 2125)
        for name in names {
            for source in ["&\(name);", "&\(name)", "&\(name)x", "&\(name)="] {
                #expect(text(source) == gumboValue(source), "\(source)")
            }
        }
    }

    private func gumboValue(_ source: String) -> String? {
        var value: String?
        Array("<br a=\"\(source)\">".utf8).withUnsafeBufferPointer { html in
            GumboTree(html)?.forEach { node, _, isEntering in
                guard isEntering, node.pointee.isElement else { return }
                for attribute in node.pointee.v.element.attributeList {
                    value = String(cString: attribute.value)
                }
            }
        }
        return value
    }
}
