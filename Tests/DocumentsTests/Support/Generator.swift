import DocumentSyntax
import Documents

/// Random numbers that are the same in each run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// Generates documents with many references and many texts that resemble references.
struct DocumentGenerator {
    private var random: SeededGenerator
    private let kind: DocumentKind

    init(kind: DocumentKind, seed: UInt64) {
        self.kind = kind
        random = SeededGenerator(seed: seed)
    }

    /// A document of randomly chosen parts of the language.
    mutating func document() -> [UInt8] {
        var bytes = Array((kind == .json ? object() : beginning()).utf8)
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            bytes += (Self.pieces[kind]?.randomElement(using: &random) ?? "").utf8
        }
        if Int.random(in: 0..<3, using: &random) == 0 { mutate(&bytes) }
        return bytes
    }

    /// Text that matters only at the beginning: front matter or a root element.
    private mutating func beginning() -> String {
        switch kind {
        case .markdown, .mdx:
            guard let (open, lines, close) = FrontMatterPieces.all.randomElement(using: &random),
                Bool.random(using: &random)
            else { return "" }
            let count = Int.random(in: 1...8, using: &random)
            let body = (0..<count).map { _ in lines.randomElement(using: &random) ?? "" }
            return open + body.joined() + close
        case .xml: return XMLPieces.beginnings.randomElement(using: &random) ?? ""
        case .html, .css, .json, .script, .text: return ""
        }
    }

    /// A JSON object with members in random order.
    private mutating func object() -> String {
        guard let (open, members, close) = JSONPieces.documents.randomElement(using: &random) else {
            return ""
        }
        let count = Int.random(in: 0...6, using: &random)
        let chosen = (0..<count).map { _ in members.randomElement(using: &random) ?? "" }
        return ([open] + chosen).joined(separator: ", ") + close
    }

    /// Changes, removes or duplicates a few bytes.
    private mutating func mutate(_ bytes: inout [UInt8]) {
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(Self.signs.randomElement(using: &random) ?? 0, at: index)
            default:
                let end = Int.random(in: index..<bytes.count, using: &random)
                bytes.insert(contentsOf: bytes[index...end], at: index)
            }
        }
    }

    private static let signs = Array("<>[]()!\"'\\&;:,=`*_|#-\n\r\t \0/{}".utf8)

    private static let markdown: [String] = [
        "![a](a.png)", "![b](<b c.png> \"t\")", "![r][]", "![r]", "[r]", "![x][s]", "[x][s]",
        "\n[r]: r.png\n", "\n[s]: <s.png> 'title'\n", "\n\n[r]:\n d.png\n\n", "`", "``", "\n\n",
        "\n", "> ", "- ", "1. ", "    ", "\t", "| a | b |\n|---|---|\n| ", " | ", "\n```\n",
        "<img src=\"h.png\">", "<img src=i.png>",
        "<img srcset=\"j.png 1x, k.png 2x\" src='l&amp;m'>",
        "<div>", "</div>", "<!--", "-->", "![", "](", ")", "[", "]", "]:", "(", "*", "**", "_",
        "\\", "&amp;", "&", "<", ">", "http://h/n.png", "![p](a\\)&amp;b.png)", "[^1]",
        "\n[^1]: ",
        "é", "\r\n", "\n# ", "\n===\n", "\n---\n", "a", " ", "!", "![q](\n o.png\n 'x\ny')",
        "<script>", "</script>", "~~", "[![in](i.png)](l.html)", "src=\"a.png\"", "<a.png>",
        "\0",
        "<video poster=\"p.png\">", "<p style=\"background:url(q.png)\">",
        "<link rel=icon href=r.png>",
        "<img data-src=s.png data-imgbake-format=avif>", "<style>\na{b:url(t.png)}\n</style>",
        "<!-- imgbake-off -->", "<!-- imgbake-on -->", "<svg><image href='u.png'/></svg>",
        "<picture data-imgbake=off>", "</picture>", "<img data-imgbake data-imgbake-x src=z.png>",
        "<img src=\"{{ v }}\">", "![w]({{w}})",
        "<script type=application/ld+json>{\"image\":\"x.png\"}</script>",
        "<meta property=og:image content=y.png>", "?style=a&b", "[l](L.png)", "\n[r]: R.png\n",
        "<a href='M.png'>", "<img data-lazy='https://h/A'>",
        "<iframe srcdoc=\"<img src='A.png'>\"></iframe>", "<iframe srcdoc='",
    ]

    private static let pieces: [DocumentKind: [String]] = [
        .mdx: markdown + [
            "{/*", "*/}", "<Card image=\"m.png\">", "</Card>", "{x}", "<Image src={a} />",
            "<Image src=\"n.png\" />", "{`", "`}", "\nimport a from 'b.png'\n", "{", "}",
            "<img src={a} alt=\"\"/>", "export const a = 1\n", " style={{a: 1}} ", "{/* ", " */}",
            "{/* imgbake-off */}", "{/* imgbake-on */}",
        ],
        .xml: XMLPieces.all, .script: DataPieces.script, .text: DataPieces.text,
        .markdown: markdown,
        .html: [
            "<img src=\"a.png\">", "<IMG SRC='b.png' width=3>", "<img src=c.png alt=x>", "<p>",
            "</p>",
            "<img srcset=\"a,b.png 1x, c.png&#32;2x,d.png\">", "<source srcset=e.png src=f.png>",
            "<picture>", "</picture>", "<table>", "<tr>", "<td>", "</table>", "<b>", "</b>",
            "<a href=x>",
            "</a>", "<div>", "</div>", "<!--", "-->", "<script>", "</script>", "<style>",
            "</style>",
            "a{background:url(g.png)}", "<p style=\"background:url('h.png')\">", "<svg>", "</svg>",
            "<title>", "</title>", "<template>", "</template>", "<select>", "</select>",
            "<noscript>",
            "<li>", "<ul>", "</ul>", "text", "&amp;", "&", "<", ">", "\"", "'", "=", "é", "\r\n",
            "\n",
            "\0", "<br/>", "<base href=\"/b/\">", "<i style='a:url(&quot;i.png&quot;)'>", "</i>",
            "<image src=j.png>", "<img src=\" k.png\n\" src=l.png>", "<math>", "<mi>", "<![CDATA[",
            "]]>",
            "<img\n src\n =\n m.png\n>", "<frameset>", "<plaintext>", "<form>", "</form>",
            "<textarea>", "<video poster=p.png>", "<link rel=icon href='q.png'>",
            "<meta property=og:image content=\"r.png\">",
            "<img data-src=s.png data-srcset='t.png 2x'>",
            "<input type=image src=u.png>", "<object data=v.png type=image/png>", "</object>",
            "<img src=w.png data-imgbake-format=avif data-imgbake=no>",
            "<img data-imgbake=off src=x>",
            "<picture data-imgbake-quality=3>", "<!-- imgbake-off -->", "<!-- imgbake-on -->",
            "<svg><image xlink:href=y.png />", "<td background=z.png>", "<img src={{a}}>",
            "<script type=\"application/ld+json\">{\"logo\":\"a.png\"}</script>",
            "<div data-bg=\"url(b.png)\">", "<iframe srcdoc=\"<img src='A.png'>\"></iframe>",
            "<iframe srcdoc='<b style=\"c:url(&amp;#39;B.png)\">", "<img data-lazy=https://h/A>",
        ],
        .css: [
            "a{background:url(a.png)}", "b{background:url('b.png')}", "url(", "\"", "'", ")", "(",
            "{",
            "}", ";", ":", "/*", "*/", "\\", "\n", " ", "a", "@import ",
            "@font-face{src:url(f.woff)}",
            "image-set(", "\"c.png\" 1x", ",", "u\\72l(d.png)", "@media x{", "background:",
            "1url(e)",
            "url( f.png )", "url(\"g\\\nh\")", "é", "\0", "\r\n", "-", "#", "filter:", "\\29 ",
            "<!--",
            "-->", "src(", "@namespace ", "\\", "\\6", "\\0", "\\\n", "\\\r\n", "\\69\r\n", "\r",
            "\u{C}", "\t",
            "\u{7F}", "u\\000072\r\nl(", "URL(", "\\75rl(", "url(\\", "type(\"image/webp\")", "1e3",
            "+.5", "#\\",
            "@\\", "--a:", "-\\", "'\\\n", "</style>", "url('h.png' a)", "image-set(url(i.png)",
            "e\u{301}", "\u{200D}",
            "url(\u{301}j.png)", "cursor:url(k.png) 1 2,auto;", "border-image:url(l.png) 1;",
            "content:\"m\";",
        ],
    ]
}
