import Testing

@testable import Documents

/// URLs that are verified without reading the whole document again.
@Suite(.timeLimit(.minutes(10)))
struct PlainValueTests {
    /// Parts of texts, with `#` in place of the number of an image.
    private static let parts = [
        "![a](https://h/#.png)", "![a](/i/#.jpg?w=8&h=9 \"t\")", "[![a](#.png)](https://h/)",
        "<img src=\"https://h/#.png\" width=\"8\">", "<img src='#.webp' alt=b>", "![a][d]",
        "![b=](https://h/#.png?c=d)", "<a b= ![a](#.png?c=d) >", "<a b=\"![a](#.png)\">",
        "<!-- ![a](https://h/#--b.png) -->", "<!-- x", "-->", "`", "``", "```\n", "| ",
        " |\n|-|-|\n",
        "[d]: /e\n", "[^f]", "\n[^f]: ", "*", "_", "~~", "> ", "- ", "1. ", "\n", "\n\n", "    ",
        "[e](", ")", "[", "]", "<", ">", "<div>\n", "</div>", "\\", "http://h/", "www.h.org ",
        "&lt;",
        "a@b.org", "# ", "===\n", "<https://h/", " \"t\")", "<picture>", "data-imgbake=\"off\" ",
        "---\n", "see ", ": b\n", "`![a](#.png)`", "https://h/#.png ", "[<img src=\"#.png\">]",
        "[^b\nc]", "![b ![c](#.png)](#.png)", "<a b=\n> ", "\u{B}", "![a](\n<main/#.png>)",
    ]

    /// Replacements that are plain, and others.
    private static let urls = [
        "n.png", "/imgbake/n-0123456789abcdef.webp", "n.png?a=b", "a--b.png", "a.png#c", "n(1).png",
        "n&m.png", "n'.png", "n.png?|", "n", "x=y.png",
    ]

    private static func document(_ random: inout SeededGenerator) -> [UInt8] {
        var number = 0
        var text = ""
        for _ in 0..<Int.random(in: 1...14, using: &random) {
            number += Int.random(in: 0...3, using: &random) > 0 ? 1 : 0
            let part = parts.randomElement(using: &random) ?? ""
            text += part.split(separator: "#", omittingEmptySubsequences: false)
                .joined(separator: "\(number)")
        }
        return Array(text.utf8)
    }

    /// The plan of a rewrite, and whether its output is verified by the values alone.
    private static func plan(
        _ bytes: [UInt8], options: ExtractionOptions = ExtractionOptions(),
        url: (Reference) -> String
    ) throws -> (plan: RewritePlan, output: [UInt8], isVerified: Bool)? {
        let extraction = extract(bytes, kind: .markdown, options: options)
        guard !extraction.references.isEmpty else { return nil }
        let replacements = extraction.references.map { Replacement(reference: $0, url: url($0)) }
        let plan = try RewritePlan(
            extraction, replacements, dropping: [], byteCount: bytes.count)
        guard let output = apply(plan.edits.splices, to: bytes) else { return nil }
        let isVerified = plan.outline.parts.map {
            plan.firstDifference(in: $0, of: bytes, and: output) == nil
        }
        return (plan, output, isVerified == true)
    }

    @Test(arguments: 0..<16)
    func verifiesNothingThatTheWholeDocumentRefutes(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var verified = 0
        let options = ExtractionOptions()
        for _ in 0..<1500 {
            let bytes = Self.document(&random)
            let planned = try Self.plan(bytes, options: options) { _ in
                Self.urls.randomElement(using: &random) ?? ""
            }
            guard let (plan, output, isVerified) = planned, isVerified else { continue }
            verified += 1
            let before = outline(of: bytes, kind: .markdown, options: options)
            let after = outline(of: output, kind: .markdown, options: options)
            let text =
                "\(String(decoding: bytes, as: UTF8.self).debugDescription) → "
                + String(decoding: output, as: UTF8.self).debugDescription
            #expect(throws: Never.self, "\(text)") {
                try plan.compare(before.blocks, with: after)
            }
        }
        #expect(verified > 50)
    }

    @Test(arguments: [
        "![a](b.png)", "![a](b.png \"t\") ![a](c.png)", "a <b> ![a](https://h/b.png?c=1&d=2)",
        "<p><img src=\"b.png\" width=\"8\" height=\"8\"> <img src='c.png' width=\"8\"></p>",
        "---\ntitle: a\n---\n| ![a](b.png) | c |\n|-|-|\n| d | ![e](f.png) |\n", "- > ![a](b.png)",
        "[![a](b.png)](https://h/) <i>b</i>", "<!-- c -->\n![a](b-c.png)",
    ])
    func readsOnlyChangedValues(text: String) throws {
        let planned = try Self.plan(Array(text.utf8)) { _ in "/imgbake/n-0.webp" }
        #expect(planned?.isVerified == true)
    }

    /// In the first three, another URL makes a comment or a tag of what is an image now.
    @Test(arguments: [
        ("x <!-- ![a](b--c.png) -->", "n.png"), ("<a b=![a](c.png?d=e) >", "n.png"),
        ("<a b= ![a](c.png?d=e) >", "n.png"), ("![a](b.png)", "n(1).png"),
        ("![a](b&amp;c.png)", "n.png"),
        ("![a]( b.png)", "n.png"), ("![a](<b.png>)", "n.png"), ("![a][b]\n\n[b]: c.png", "n.png"),
        ("<img src=b.png>", "n.png"), ("![a](b.png) `![a](b.png)`", "n.png"),
        ("---\nimage: b.png\n---\n![a](c.png)", "n.png"),
        ("{{< figure src=\"b.png\" >}} ![a](c.png)", "n.png"),
        ("![a](b.png) [^c] ![d](b.png)\n\n[^c]: e", "n.png"),
        ("![a](https://h/a.png) [^b\nccccccccccccccccccccccccccc]", "n.png"),
        ("> <a b=\n> ![a](c.png?d=e) >", "n.png"), ("<a b=\u{B} ![a](c.png?d=e) >", "n.png"),
        ("---\nsee ![x](https://h/a.png): text\n---", "n.png"),
        ("[<img src=\"https://h/a.png\">]\n\n[<img src=\"https://h/A.png\">]: /u", "n.png"),
        ("`[a](main/b.png)` ![a](\n<main/b.png>)", "n.png"),
        ("![a ![b](c.png)](c.png)", "n.png"), ("![a](b.png) ![a](b.png)", "n.png"),
    ])
    func readsWholeDocumentOtherwise(text: String, url: String) throws {
        let planned = try #require(try Self.plan(Array(text.utf8)) { _ in url })
        #expect(!planned.isVerified)
    }

    @Test(arguments: [
        "https://h/a.png and `![x](https://h/a.png)`", "[![a](https://h/a.png)](https://h/a.png)",
    ])
    func readsWholeDocumentOfLinks(text: String) throws {
        let options = ExtractionOptions(readsLinks: true)
        let planned = try Self.plan(Array(text.utf8), options: options) { _ in "n.png" }
        #expect(planned?.isVerified != true)
    }
}
