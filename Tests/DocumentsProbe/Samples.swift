/// Generated documents for measurements, equal in each run.
enum Samples {
    /// Markdown pages like those of a blog, with an image in about every thousand bytes or without
    /// images.
    static func markdown(pages: Int, hasImages: Bool) -> [[UInt8]] {
        (0..<pages).map { page in
            var text = "# Page \(page)\n\n"
            for part in 0..<12 {
                text += "## Part \(part) of *page* \(page)\n\n\(prose(page &* 31 &+ part))\n\n"
                if hasImages {
                    text +=
                        part % 4 == 3
                        ? "<img src=\"https://images.example.org/\(page)/\(part).png\" alt=\"A view\">\n\n"
                        : "![A view](https://images.example.org/\(page)/\(part).jpg?w=800&h=\(part) \"The view\")\n\n"
                }
                text += "- one item with `code`\n- [a link](https://example.org/\(part))\n"
                text +=
                    "- another item\n\n> \(sentence(part))\n\n```swift\nlet a = [\(part)]\n```\n\n"
            }
            return Array(text.utf8)
        }
    }

    /// HTML pages like those of a site generator.
    static func html(pages: Int, hasImages: Bool) -> [[UInt8]] {
        (0..<pages).map { page in
            var text =
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<title>Page \(page)</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n"
                + "<link rel=\"stylesheet\" href=\"/css/site.css\">\n</head>\n<body class=\"page\">\n"
                + "<nav><ul class=\"menu\">"
            for item in 0..<20 {
                text += "<li class=\"item\"><a href=\"/p/\(item)/\">Entry \(item)</a></li>\n"
            }
            text += "</ul></nav>\n<main>\n"
            for part in 0..<12 {
                text +=
                    "<h2 id=\"p\(part)\">Part \(part)</h2>\n<p>\(prose(page &* 31 &+ part))</p>\n"
                if hasImages {
                    text += """
                        <figure class="wide"><img src="https://images.example.org/\(page)/\(part).jpg" \
                        srcset="https://images.example.org/\(page)/\(part)-2.jpg 2x" alt="A view" \
                        loading="lazy"><figcaption>The view</figcaption></figure>

                        """
                }
                text +=
                    "<ul><li>one <code>item</code></li><li><a href=\"/a\">a link</a></li></ul>\n"
                text += "<pre><code>let a = [\(part)]</code></pre>\n"
            }
            return Array((text + "</main>\n</body>\n</html>\n").utf8)
        }
    }

    private static let words = """
        the site keeps its images near so that no page of it depends on another host and every build \
        gives the same bytes again when nothing has changed in what was written before it began
        """.split(separator: " ")

    private static func sentence(_ seed: Int) -> String {
        (0..<18).map { String(words[(seed &* 7 &+ $0 &* 5 &+ seed / 3) % words.count]) }
            .joined(separator: " ") + "."
    }

    private static func prose(_ seed: Int) -> String {
        (0..<6).map { sentence(seed &+ $0) }.joined(separator: " ")
    }
}
