import Documents

/// A long input that can cause more than linear time or memory.
struct HostileSample {
    let kind: DocumentKind
    let name: String
    private let text: @Sendable (_ size: Int) -> String

    /// A beginning, a part that is repeated and an end.
    init(_ kind: DocumentKind, _ name: String, _ unit: String, head: String = "", tail: String = "")
    {
        self.init(kind, name) { size in
            head + String(repeating: unit, count: max(1, size / unit.utf8.count)) + tail
        }
    }

    init(_ kind: DocumentKind, _ name: String, _ text: @escaping @Sendable (_ size: Int) -> String)
    {
        self.kind = kind
        self.name = name
        self.text = text
    }

    /// A document of about `size` bytes that also names images in the usual ways.
    func document(size: Int) -> [UInt8] {
        let text = text(size)
        switch kind {
        case .xml, .json, .script, .text: return Array(text.utf8)
        case .css: return Array((text + "\n a{b:url(d)}\n").utf8)
        default: return Array((text + "\n\n![a](b.png) <img src=c.png> url(d)\n").utf8)
        }
    }

    /// The kind and the name.
    var title: String { "\(kind.rawValue) \(name)" }

    static func named(_ title: String) -> HostileSample? { all.first { $0.title == title } }

    static let all = markdown + markdownTables + html + css + xml + json + metadata

    private static let markdown: [HostileSample] =
        [
            "![", "](", "<img ", "((", "![](", "<img src=", "![a](b", "> ", "- ", "QUJD", "*a **b ",
            "**a*", "_a_ ", "~~a~", "`a``", "[a][b]", "[a](b)", "[[a]", "![a](b.png)\n", "![a](b)",
            "<img src=b>", "<b>", "a@b.cc ", "a@b.cc\n\n", "http://a.b ", "www.a.b\n", "[^1]",
            "[^1]: a\n", "&#1;",
            "&lt;", "<div>\n\n", "<?", "<!A", "<!--", "a\\\n", "a\n", "\n", "\t", "#\n", "a\n=\n",
            "1. a\n",
            "- a\n\n", "+ [ ] a\n", "```\n", "    a\n\n", ">a\n\n",
            "{{< a src=\"https://a/b.png\" >}}",
            "<a b=c d=e>", "\u{0}", "é", "{{< a ", "{{< a=\"", "{% a ", "{% raw %}", "```{",
            "```{a}", "<script>",
            "<style>", "<script>a://", "\r", "www._", "{{<?", "http://a.b/<",
        ].map {
            HostileSample(.markdown, $0.debugDescription.dropFirst().dropLast().description, $0)
        } + [
            HostileSample(.markdown, "punctuation after a link", "!)", head: "www.a.b"),
            HostileSample(.markdown, "brackets after a link", ")", head: "http://a.b/"),
            HostileSample(.markdown, "uses of a definition", "[a]", head: "[a]: b.png\n\n"),
            HostileSample(.markdown, "images of a definition", "![a]", head: "[a]: b.png\n\n"),
            HostileSample(.markdown, "definitions") { size in
                (0..<size / 14).map { "[\($0)]: b.png\n" }.joined() + "\n![1]"
            },
            HostileSample(.markdown, "definitions with images") { size in
                (0..<size / 24).map { "[\($0)]: \($0)b\n\n" }.joined()
                    + (0..<size / 24).map { "![\($0)] " }.joined()
            },
            HostileSample(.markdown, "footnotes") { size in
                (0..<size / 24).map { "[^\($0)] " }.joined() + "\n\n"
                    + (0..<size / 24).map { "[^\($0)]: a\n" }.joined()
            },
            HostileSample(.markdown, "nested lists") { size in
                let depth = Int(Double(size).squareRoot())
                return (0..<depth).map { String(repeating: " ", count: 2 * $0) + "- a\n" }.joined()
            },
            HostileSample(.markdown, "nested admonitions") { size in
                let body = String(repeating: "![](b)", count: size / 6)
                return
                    "!!! a\n\n    !!! a\n\n        !!! a\n\n            !!! a\n\n                "
                    + body
            },
            HostileSample(.mdx, "{a} and tags", "{a}<A b={c}>"),
            HostileSample(.mdx, "{", "{"), HostileSample(.mdx, "<A ", "<A "),
            HostileSample(.mdx, "<A", "<A"),
            HostileSample(.mdx, "components with open quotes", "<A a=\">"),
            HostileSample(.mdx, "components", "<A b=\"https://a/b.png\">"),
            HostileSample(.mdx, "import", "import a from 'b'\n"),
        ]

    private static let markdownTables: [HostileSample] = [
        HostileSample(.markdown, "table of 1000 columns") { size in
            row(1000, "a") + row(1000, "-")
                + String(repeating: "|b\n", count: max(1, size / 3 - 1400))
        },
        HostileSample(.markdown, "table of 20 rows") { size in
            row(size / 8, "a") + row(size / 8, "-")
                + String(repeating: row(size / 80, "b"), count: 20)
        },
        HostileSample(.markdown, "lines before a marker row", "a\n", tail: "-|-\n"),
        HostileSample(.markdown, "marker rows", "a\n-|-\n"),
        HostileSample(.markdown, "tables", "|a|b\n|-|-\n|\n\n"),
        HostileSample(.markdown, "tables in quotes", "> |a|b\n> |-|-\n> |\n\n"),
        HostileSample(.markdown, "pipes", "|"), HostileSample(.markdown, "pipes and text", "a|"),
        HostileSample(.markdown, "escaped pipes", "\\|"),
    ]

    private static func row(_ columns: Int, _ text: String) -> String {
        String(repeating: "|" + text, count: columns) + "|\n"
    }

    private static let html: [HostileSample] =
        [
            "<img ", "<img src=", "<br title=\"'\">", "QUJD", "<p style=\"a:url(\">", "((",
            "<a><b>",
            "<b>", "<p><font>", "<b><p>", "<a><p>", "<i><table>", "<table>", "<table><tr><td>",
            "<table><b>", "<table>a", "<div>", "<svg>", "<math><mi>", "<svg><desc>", "<template>",
            "<select><option>", "<button>", "<form>", "<p>", "</p>", "</b>", "<li>", "<nobr>",
            "<applet>",
            "<b></p>", "<b><div></b>", "<i><b></i>", "<a href=x>", "&amp;", "&notit;", "<!--a-->",
            "<!a>", "\u{0}",
            "<img src=b>", "<img srcset=\"a 1x, b 2x\">", "<style>a{b:url(c)}</style>",
            "<p a a a a>",
            "<script>\"https://a/b.png\"</script>", "<frameset>", "<option><b>", "<td>a",
            "</table>",
            "<x-a>", "<a b=c d=e>", "<meta property=og:image content=b>", "<source srcset=a>",
            "<script>", "<style>", "<title>", "<textarea>", "<script><!--", "<iframe>",
            "<iframe srcdoc=\"<img src=b>\">", "<picture data-imgbake=off>", "<!-- imgbake-off -->",
            "<plaintext>",
            "<svg><style>", "<a b=", "<meta property=og:image:width content=1>", "<base href=a>",
        ].map { HostileSample(.html, $0.debugDescription.dropFirst().dropLast().description, $0) }
        + [
            HostileSample(.html, "attributes of a tag") { size in
                "<img " + (0..<size / 8).map { "a\($0)=b " }.joined() + ">"
            },
            HostileSample(.html, "equal attributes of a tag", "a=b ", head: "<img ", tail: ">"),
            HostileSample(
                .html, "candidates of srcset", "a 1w,", head: "<img srcset=\"", tail: "\">"),
            HostileSample(
                .html, "templates of srcset", "{{a}} 1w, ", head: "<img srcset=\"", tail: "\">"),
            HostileSample(.html, "commas of srcset", ",", head: "<img srcset=\"", tail: "\">"),
            HostileSample(.html, "urls in style", "url(a) ", head: "<p style=\"a:", tail: "\">"),
            HostileSample(
                .html, "escaped urls in style", "url(&#97;) ", head: "<p style=\"a:", tail: "\">"),
            HostileSample(.html, "a long attribute", "&amp;", head: "<img src=\"", tail: "\">"),
            HostileSample(
                .html, "strings in JSON-LD", "\"image\":\"b.png\",",
                head: "<script type=\"application/ld+json\">{", tail: "\"a\":1}</script>"),
            HostileSample(
                .html, "brackets in JSON-LD", "[", head: "<script type=\"application/ld+json\">",
                tail: "</script>"),
            HostileSample(.html, "formatting elements and paragraphs") { size in
                (0..<900).map { "<b a=\($0)>" }.joined()
                    + String(repeating: "<p>a</p>", count: size / 8)
            },
        ]

    private static let css: [HostileSample] =
        [
            "url(", "((", "QUJD", "url(a)", "a{b:url(c)}", "{", "[", "a{", "\\", "\\75 ", "\"",
            "\"\\\n", "/*",
            "url(\"a\")", "@import \"a\";", "image-set(\"a\" 1x)", "image-set(", "@media a{",
            "--a:url(b);", "}", "a,",
            "url(\\61)", "\\", "é", "url('a'", "@font-face{src:url(a)}", "var(--a,", "<!--",
        ].map { HostileSample(.css, $0.debugDescription.dropFirst().dropLast().description, $0) }
        + [
            HostileSample(.css, "strings of image-set", "\"a\" 1x,", head: "a{b:image-set("),
            HostileSample(.css, "types of image-set", "\"a\" type('b'),", head: "a{b:image-set("),
            HostileSample(.css, "urls in brackets") { size in
                "a{b:" + String(repeating: "(", count: size / 2)
                    + String(repeating: "url(a)", count: size / 12)
            },
        ]

    private static let xml: [HostileSample] =
        [
            "<enclosure url=\"a.png\" type=\"image/png\"/>", "<a>", "</a>", "&amp;",
            "<![CDATA[a]]>",
            "<description>&lt;img src=b&gt;</description>", "<description>&lt;b&gt;", "<!--a-->",
            "<?a?>", "<!A [",
            "<description><![CDATA[<img src=b><b>]]></description>", "<a b=\"c\" ", "<",
            "<image><url>a",
            "<![CDATA[", "<!--", "<a b='", "<?", "<a:b c:d=\"e\"/>", "</", "&#",
            "<content:encoded>&amp;lt;img src=b&amp;gt;", "<media:content url=\"a\"/>",
        ].map {
            HostileSample(
                .xml, $0.debugDescription.dropFirst().dropLast().description, $0,
                head: "<rss><channel><item>")
        } + [
            HostileSample(
                .xml, "escaped HTML in one element", "&lt;img src=b&gt;",
                head: "<rss><item><description>", tail: "</description></item></rss>"),
            HostileSample(
                .xml, "CDATA sections in one element", "<![CDATA[<img src=b>]]>",
                head: "<rss><item><description>", tail: "</description></item></rss>"),
            HostileSample(
                .xml, "escaped nesting in one element", "&lt;b&gt;",
                head: "<rss><item><description>", tail: "</description></item></rss>"),
            HostileSample(
                .xml, "images of a sitemap",
                "<image:image><image:loc>https://a/b</image:loc></image:image>",
                head: "<urlset><url>", tail: "</url></urlset>"),
            HostileSample(
                .xml, "images of SVG", "<image href=\"b\"/>",
                head: "<svg xmlns=\"http://www.w3.org/2000/svg\">", tail: "</svg>"),
            HostileSample(
                .xml, "style of SVG", "url(b) ",
                head: "<svg xmlns=\"http://www.w3.org/2000/svg\"><style>a{b:",
                tail: "}</style></svg>"),
            HostileSample(.xml, "attributes of an element") { size in
                "<svg xmlns=\"http://www.w3.org/2000/svg\"><image "
                    + (0..<size / 10).map { "a\($0)=\"b\" " }.joined() + "/></svg>"
            },
        ]

    private static let feed = "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":["
    private static let json: [HostileSample] =
        [
            ("[", "["), ("{\"a\":", "{\"a\":"), ("images", "{\"image\":\"https://a/b\"},"),
            (
                "attachments",
                "{\"attachments\":[{\"url\":\"https://a/b\",\"mime_type\":\"image/png\"}]},"
            ),
            ("HTML", "{\"content_html\":\"<img src=b>\"},"), ("escapes", "\"\\u0061\","),
            ("numbers", "1,"),
            ("keys", "{\"a\":1,\"b\":2},"), ("strings", "\"a\","),
        ].map { HostileSample(.json, $0.0, $0.1, head: feed, tail: "1]}") } + [
            HostileSample(
                .json, "HTML in one string", "<img src=\\\"b\\\">",
                head: feed + "{\"content_html\":\"", tail: "\"}]}"),
            HostileSample(
                .json, "nesting in one string", "<b>",
                head: feed + "{\"content_html\":\"<img src=b>", tail: "\"}]}"),
            HostileSample(.json, "a long key", "\\u0061", head: feed + "{\"", tail: "\":1}]}"),
        ]

    private static let metadata: [HostileSample] =
        [
            ("sequence", "- a\n"), ("flow sequence", "a,"), ("brackets", "["), ("braces", "{a: "),
            ("mapping in flow", "{a},"), ("images", "  - image: b.png\n"), ("dashes", "- "),
            ("questions", "? "), ("anchors", "- &a b\n"),
            ("aliases", "- *a\n"), ("documents", "---\n"), ("quotes", "\"a\" "),
            ("tags", "- !a b\n"), ("keys", "a: b\n"),
            ("colons", "a: "), ("empty values", ":\n"), ("comments", "#\n"), ("a long scalar", "a"),
            ("a folded scalar", "  a\n"), ("commas", ",,"),
            ("escapes", "\\x61"),
        ].map { name, unit in
            HostileSample(.markdown, "YAML: " + name) { size in
                let size = min(size, 262_000)
                let head =
                    name.contains("flow") || name == "braces" || name == "brackets"
                    ? "image: ["
                    : name == "a folded scalar"
                        ? "image: >\n"
                        : name == "a long scalar"
                            ? "image: " : name == "escapes" ? "image: \"" : "image: &a b\nc:\n"
                return "---\n" + head + String(repeating: unit, count: size / unit.utf8.count)
                    + "\n---\n"
            }
        }
        + [
            ("keys", "a = 1\n"), ("dotted keys", "a."), ("arrays", "["), ("tables", "[a]\n"),
            ("tables of arrays", "[[a.b.c]]\nimage = \"b.png\"\n"),
            ("strings", "image = \"b.png\"\n"), ("inline tables", "{a="), ("quotes", "\"\"\"\n"),
        ].map { name, unit in
            HostileSample(.markdown, "TOML: " + name) { size in
                "+++\nimage = \"a.png\"\n" + String(repeating: unit, count: size / unit.utf8.count)
                    + "\n+++\n"
            }
        } + [
            HostileSample(.markdown, "JSON front matter: nesting") {
                "{\"image\":" + String(repeating: "[", count: $0)
            },
            HostileSample(.markdown, "JSON front matter: images") {
                "{" + String(repeating: "\"image\":\"b.png\",", count: $0 / 16) + "\"a\":1}\n"
            },
            HostileSample(.markdown, "JSON front matter: nested keys") {
                "{\"image\":" + String(repeating: "{\"a\":", count: $0 / 5)
            },
        ]
}
