import Documents
import Foundation
import Testing

/// Tests the references in the flight data of React's server components.
@Suite(.timeLimit(.minutes(10)))
struct FlightDataTests {
    private static let options: ExtractionOptions = {
        var options = ExtractionOptions()
        options.readsData = true
        return options
    }()

    private static let html = #"<p>é😀</p><img src="https://h/a.png?b&amp;c" alt="d">"#

    /// Rows with a text of this kind, and a value after it.
    private func rows(_ text: String) -> String {
        "1:\"$Sreact.fragment\"\n3:I[7,[\"8\"],\"Image\"]\n:HL[\"https://h/hint.png\",\"image\"]\n"
            + "22:T\(String(text.utf8.count, radix: 16)),\(text)0:[\"$\",\"img\",null,"
            + "{\"src\":\"https://h/e.png\",\"children\":\"$22\"}]\n"
    }

    /// A page whose flight data has these parts.
    private func page(_ parts: [String]) throws -> String {
        try "<p><script>(self.__next_f=self.__next_f||[]).push([0])</script>"
            + parts.map { part in
                let string = String(
                    decoding: try JSONSerialization.data(
                        withJSONObject: part, options: [.fragmentsAllowed, .withoutEscapingSlashes]),
                    as: UTF8.self
                ).replacing("<", with: "\\u003c").replacing(">", with: "\\u003e")
                    .replacing("&", with: "\\u0026")
                return "<script>self.__next_f.push([1,\(string)])</script>"
            }.joined()
    }

    /// The flight data of a page.
    private func data(_ page: String) throws -> String {
        try page.matches(of: /push\(\[1,(.*?)\]\)</).map { match in
            let value = try JSONSerialization.jsonObject(
                with: Data(match.1.utf8), options: .fragmentsAllowed)
            return value as? String ?? ""
        }.joined()
    }

    private func urls(_ text: String, _ kind: DocumentKind) -> [String] {
        extract(Array(text.utf8), kind: kind, options: Self.options).references.map(\.url)
    }

    private let names = ["/hint", "/img/a.webp?b&c", "/img/a-longer-name.webp"]
    private let found = ["https://h/hint.png", "https://h/a.png?b&c", "https://h/e.png"]

    private var expected: String {
        rows(Self.html.replacing("https://h/a.png?b&amp;c", with: "/img/a.webp?b&amp;c"))
            .replacing("https://h/hint.png", with: names[0])
            .replacing("https://h/e.png", with: names[2])
    }

    @Test func writesLengthsOfRowsAnew() {
        let text = rows(Self.html)
        #expect(urls(text, .text) == found)
        #expect(replaceAll(text, .text, with: names, options: Self.options) == expected)
        #expect(replaceAll(text, .text, with: found, options: Self.options) == text)
    }

    @Test func writesLengthsOfRowsOfPagesAnew() throws {
        let parts = rows(Self.html)
        for cut in stride(from: 0, to: parts.count, by: 3) {
            let page = try page([String(parts.prefix(cut)), String(parts.dropFirst(cut))])
            let found = urls(page, .html)
            let names = found.map { self.names[self.found.firstIndex(of: $0) ?? 0] }
            let output = replaceAll(page, .html, with: names, options: Self.options)
            var expected = rows(
                found.contains(self.found[1])
                    ? Self.html.replacing("https://h/a.png?b&amp;c", with: "/img/a.webp?b&amp;c")
                    : Self.html)
            for index in [0, 2] where found.contains(self.found[index]) {
                expected = expected.replacing(self.found[index], with: self.names[index])
            }
            #expect(try data(output) == expected)
            // A URL in two parts stays, and so does all if a length is in two parts.
            #expect(found.count >= 2 || parts.prefix(cut).hasSuffix("22:T") || found.isEmpty)
            #expect(replaceAll(page, .html, with: found, options: Self.options) == page)
        }
    }

    @Test func changesOneURLOfARow() {
        let html = Self.html + Self.html
        let text = rows(html)
        let extraction = extract(Array(text.utf8), kind: .text, options: Self.options)
        let one = Replacement(reference: extraction.references[2], url: "/x")
        let output = try? rewrite(
            Array(text.utf8), extraction: extraction, replacements: [one])
        #expect(
            output.map { String(decoding: $0.bytes, as: UTF8.self) }
                == rows(Self.html + Self.html.replacing("https://h/a.png?b&amp;c", with: "/x")))
        // The length and the URL are undone together.
        #expect(output?.edits.map(\.splices.count) == [2])
    }

    @Test(arguments: [
        "22:Tffff,<img src='https://h/a.png'>", "22:T021,<img src='https://h/a.png'>123456789",
        "22:A4,<img src='https://h/a.png'>", "[\"https://h/a.png\"]", "x:[\"https://h/a.png\"]\n",
        "1:D\"https://h/a.png\"\n", "1:{\"a\":https://h/a.png}\n",
    ])
    func leavesWhatIsNotUnderstood(text: String) throws {
        #expect(urls(text, .text) == [])
        #expect(try urls(page([text]), .html) == [])
        let unread = extract(Array(text.utf8), kind: .text, options: Self.options).unread
        #expect(unread.map(\.url) == ["https://h/a.png"])
    }

    @Test(arguments: [
        "<script>self.__next_f.push([3,\"aGk=\"])</script>",
        "<script>a();self.__next_f.push([1,\"1:[]\\n\"])</script>",
    ])
    func leavesPagesWithOtherParts(script: String) throws {
        let page = try page([rows(Self.html)])
        #expect(urls(page, .html) == found)
        #expect(urls(page + script, .html) == [])
        #expect(urls(script + page, .html) == [])
        // Other scripts of the page are read.
        #expect(urls(page + script + "<script>a='https://h/x'</script>", .html) == ["https://h/x"])
    }
}
