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
    private func read(_ text: String, _ pieces: [(Range<Int>, Bool)]) -> XMLText {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            XMLText(bytes, pieces.map { XMLText.Source(range: $0, isEscaped: $1) })
        }
    }

    @Test(arguments: [
        ("a&amp;b", "a&b", false), ("&lt;&gt;&quot;&apos;", "<>\"'", false),
        ("&#65;&#x42;&#x1F600;", "AB😀", false), ("&", "&", false), ("&a", "&a", false),
        ("&;", "&;", false), ("& amp;", "& amp;", false), ("&nbsp;", "&nbsp;", true),
        ("&#0;", "&#0;", true), ("&#xD800;", "&#xD800;", true), ("&AMP;", "&AMP;", true),
    ])
    func decodesEntities(text: String, expected: String, isUnknown: Bool) {
        let read = read(text, [(0..<text.utf8.count, true)])
        #expect(String(decoding: read.decoded, as: UTF8.self) == expected)
        #expect(read.hasUnknownEntity == isUnknown)
    }

    @Test func mapsTextToItsSource() throws {
        // Two parts: "a&amp;b" and, without entities, "&lt;c".
        let read = read("-a&amp;b--&lt;c-", [(1..<8, true), (10..<15, false)])
        #expect(String(decoding: read.decoded, as: UTF8.self) == "a&b&lt;c")
        let first = try #require(read.place(of: 1..<2))
        #expect(first.range == 2..<7)
        #expect(first.isEscaped)
        #expect(read.place(of: 0..<3)?.range == 1..<8)
        let second = try #require(read.place(of: 3..<8))
        #expect(second.range == 10..<15)
        #expect(!second.isEscaped)
        #expect(read.place(of: 2..<4) == nil)
        #expect(read.place(of: 8) == 15)
    }
}
