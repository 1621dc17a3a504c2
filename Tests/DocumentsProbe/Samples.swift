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
    ///
    /// - Parameters:
    ///   - pages: The number of pages.
    ///   - hasImages: Whether there is an image in about every thousand bytes.
    ///   - hasSets: Whether each image has a `srcset` too.
    /// - Returns: The pages.
    static func html(pages: Int, hasImages: Bool, hasSets: Bool = true) -> [[UInt8]] {
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
                    let url = "https://images.example.org/\(page)/\(part)"
                    let set = hasSets ? " srcset=\"\(url)-2.jpg 2x\"" : ""
                    text += """
                        <figure class="wide"><img src="\(url).jpg"\(set) alt="A view" loading="lazy">\
                        <figcaption>The view</figcaption></figure>

                        """
                }
                text +=
                    "<ul><li>one <code>item</code></li><li><a href=\"/a\">a link</a></li></ul>\n"
                text += "<pre><code>let a = [\(part)]</code></pre>\n"
            }
            return Array((text + "</main>\n</body>\n</html>\n").utf8)
        }
    }

    /// Style sheets with a background in about every thousand bytes.
    static func styles(pages: Int) -> [[UInt8]] {
        (0..<pages).map { page in
            var text = "@charset \"utf-8\";\n/* Theme \(page) */\n"
            for part in 0..<12 {
                for rule in 0..<6 {
                    text += """
                        .part-\(part) .item-\(rule) > a:hover, #menu li:nth-child(2n) {
                          color: rgba(20, 30, 40, 0.\(rule)); margin: 0 auto 1.5rem;
                          font: 400 1rem/1.5 var(--font, sans-serif); display: flex;
                        }

                        """
                }
                text += """
                    .hero-\(part) { background: #fff url("https://images.example.org/\(page)/\(part).png") }

                    """
            }
            return Array(text.utf8)
        }
    }

    /// Feeds whose entries are HTML with an image in about every thousand bytes.
    static func feeds(pages: Int) -> [[UInt8]] {
        (0..<pages).map { page in
            var text = """
                <?xml version="1.0" encoding="utf-8"?>
                <feed xmlns="http://www.w3.org/2005/Atom"><title>Site \(page)</title>

                """
            for part in 0..<12 {
                text += """
                    <entry><title>Part \(part)</title><id>urn:\(page):\(part)</id>
                    <link href="https://example.org/\(page)/\(part)/"/><content type="html">\
                    &lt;p&gt;\(prose(page &* 31 &+ part))&lt;/p&gt;
                    &lt;img src="https://images.example.org/\(page)/\(part).jpg" alt="A view"&gt;
                    </content></entry>

                    """
            }
            return Array((text + "</feed>\n").utf8)
        }
    }

    /// JSON Feeds whose entries are HTML with an image in about every thousand bytes.
    static func jsonFeeds(pages: Int) -> [[UInt8]] {
        (0..<pages).map { page in
            let items = (0..<12).map { part in
                """
                {"id": "\(page)-\(part)", "url": "https://example.org/\(page)/\(part)/", \
                "content_html": "<p>\(prose(page &* 31 &+ part))</p>\\n\
                <img src=\\"https://images.example.org/\(page)/\(part).jpg\\" alt=\\"A view\\">"}
                """
            }
            return Array(
                """
                {"version": "https://jsonfeed.org/version/1.1", "title": "Site \(page)",
                "items": [\(items.joined(separator: ",\n"))]}
                """.utf8)
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
