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

struct AttributeAlignmentTests {
    private func mapped(_ source: String, _ value: String, _ range: Range<Int>) -> String? {
        let bytes = Array(source.utf8)
        return bytes.withUnsafeBufferPointer { source in
            Array(value.utf8).withUnsafeBufferPointer { value in
                AttributeAlignment(source: source, value: value).map {
                    String(decoding: bytes[$0.sourceRange(range)], as: UTF8.self)
                }
            }
        }
    }

    @Test(arguments: [
        ("abc", "abc", 1..<2, "b"), ("a&amp;b", "a&b", 1..<2, "&amp;"),
        ("a&amp;b", "a&b", 2..<3, "b"),
        ("&#97;b", "ab", 0..<1, "&#97;"), ("&#x61b", "\u{61B}", 0..<2, "&#x61b"),
        ("a\r\nb", "a\nb", 1..<2, "\r\n"), ("a\rb", "a\nb", 2..<3, "b"),
        ("\0b", "\u{FFFD}b", 3..<4, "b"),
        ("&fjlig;x", "fjx", 2..<3, "x"), ("&NotEqualTilde;x", "≂̸x", 5..<6, "x"),
        ("&copy\u{338}", "©\u{338}", 0..<2, "&copy"), ("&ampx", "&ampx", 0..<1, "&"),
        ("&amp=&amp;", "&amp=&", 0..<5, "&amp="), ("&;&#;&#x;", "&;&#;&#x;", 0..<9, "&;&#;&#x;"),
    ])
    func mapsValueToItsSource(source: String, value: String, range: Range<Int>, expected: String) {
        #expect(mapped(source, value, range) == expected)
    }

    @Test(arguments: [
        ("abc", "abd"), ("abc", "ab"), ("ab", "abc"), ("&amp;", "&amp;"), ("&", "x"), ("&x", ""),
        ("\r", "\r"), ("\0", "\0"),
    ])
    func rejectsValueThatDiffersFromItsSource(source: String, value: String) {
        #expect(mapped(source, value, 0..<0) == nil)
    }
}

struct AttributeDecoderTests {
    @Test func decodesManyValuesAtOnce() {
        let sources = ["a", "b&amp;c", "\"&quot;'", "", "&lt", "&nope;&", "x\r\ny", "<p>&gt;</p>"]
        let expected = ["a", "b&c", "\"\"'", "", "<", "&nope;&", "x\ny", "<p>></p>"]
        let decoded = decodedAttributes(sources.map { Array($0.utf8) })
        #expect(decoded.map { $0.map { String(decoding: $0, as: UTF8.self) } } == expected)
    }
}
