import DocumentSyntax
import Testing

@testable import Documents

@Suite(.timeLimit(.minutes(10)))
struct XMLTokenizerTests {
    private func tokens(_ text: String) -> [String] {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            var tokenizer = XMLTokenizer(bytes)
            var result: [String] = []
            func text(_ range: Range<Int>) -> String {
                String(decoding: bytes[range], as: UTF8.self)
            }
            while let token = tokenizer.next() {
                switch token {
                case .start(let tag):
                    let attributes = tag.attributes(in: bytes)?.map {
                        " \(text($0.name))=\(text($0.value))"
                    }
                    result.append(
                        "<\(text(tag.name))\((attributes ?? ["…"]).joined())"
                            + (tag.isSelfClosing ? "/>" : ">"))
                case .end(let name): result.append("</\(text(name))>")
                case .text(let range): result.append(text(range))
                case .cdata(let range): result.append("[\(text(range))]")
                case .comment(let range): result.append("!\(text(range))")
                }
            }
            return result
        }
    }

    @Test(arguments: [
        ("<a>b</a>", ["<a>", "b", "</a>"]),
        ("<a b='c' d=\"e>'\"\n f = 'g'/>", ["<a b=c d=e>' f=g/>"]),
        (
            "<?xml version='1.0'?><!DOCTYPE a [ <!ENTITY b \"]>\"> <!-- ]> ' --> ]>\n<a/>",
            ["\n", "<a/>"]
        ),
        ("<![CDATA[<a>&]]]]><![CDATA[>]]>", ["[<a>&]]]", "[>]"]),
        ("<!-- <a> -- > --><!---->", ["! <a> -- > ", "!"]),
        ("<é:a ö='ü'></é:a >", ["<é:a ö=ü>", "</é:a>"]),
        ("\u{FEFF}<a/>", ["<a/>"]),
        ("a < b <= c <1> d", ["a ", "< b ", "<= c ", "<1> d"]),
        ("<a b='c' b='d'>", ["<a b=c>"]),
        ("<a b=c d e='f' =g 'h' i>", ["<a e=f>"]),
        ("<a/ b='c'>", ["<a b=c>"]),
        ("<a <b>", ["<b>"]), ("</a <b>", ["</a>", "<b>"]), ("<a b='<c>'>", ["<a b=<c>>"]),
        ("<a b='c", []), ("<a", []), ("<", ["<"]), ("</", ["</>"]), ("<!-- a", []),
        ("<![CDATA[a", []), ("<?a", []), ("<!DOCTYPE [", []), ("", []),
    ])
    func splitsXMLIntoTokens(text: String, expected: [String]) {
        #expect(tokens(text) == expected)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct XMLTextTests {
    /// Decodes the parts of a text; the Boolean says whether entities are decoded.
    private func read(_ text: String, _ pieces: [(Range<Int>, Bool)]) -> XMLText? {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            XMLText(bytes, parts: pieces.map { XMLText.Source(range: $0, isEscaped: $1) })
        }
    }

    @Test(arguments: [
        ("a&amp;b", "a&b", false), ("&lt;&gt;&quot;&apos;", "<>\"'", false),
        ("&#65;&#x42;&#x1F600;", "AB😀", false), ("&", "&", false), ("&a", "&a", false),
        ("&;", "&;", false), ("& amp;", "& amp;", false), ("&nbsp;", "&nbsp;", true),
        ("&#0;", "&#0;", true), ("&#xD800;", "&#xD800;", true), ("&AMP;", "&AMP;", true),
    ])
    func decodesEntities(text: String, expected: String, isUnknown: Bool) throws {
        let whole = try #require(read(text, [(0..<text.utf8.count, true)]))
        #expect(String(decoding: whole.decoded, as: UTF8.self) == expected)
        #expect(whole.hasUnknownEntity == isUnknown)
        #expect(!whole.isDivided)
    }

    @Test func mapsTextToItsSource() throws {
        let escaped = try #require(read(" -a&amp;b--", [(0..<1, true), (2..<9, true)]))
        #expect(String(decoding: escaped.decoded, as: UTF8.self) == "a&b")
        #expect(escaped.place(of: 1..<2) == 3..<8)
        #expect(escaped.place(of: 0..<3) == 2..<9)
        #expect(escaped.source.isEscaped && !escaped.isDivided)
        let section = try #require(read("-&lt;c-", [(1..<6, false)]))
        #expect(String(decoding: section.decoded, as: UTF8.self) == "&lt;c")
        #expect(section.place(of: 0..<5) == 1..<6)
        #expect(!section.source.isEscaped)
        #expect(read(" \n", [(0..<1, true), (1..<2, false)]) == nil)
    }

    @Test func markupDividesText() throws {
        let divided = try #require(read("a&amp;&lt;c", [(0..<6, true), (6..<11, false)]))
        #expect(String(decoding: divided.decoded, as: UTF8.self) == "a&&lt;c")
        #expect(divided.isDivided)
    }
}
