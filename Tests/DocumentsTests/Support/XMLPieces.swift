import DocumentSyntax

/// Parts of feeds, sitemaps, SVG and XHTML.
enum XMLPieces {
    static let beginnings = [
        "<rss>", "<feed>", "<urlset>", "<svg>", "<html>", "<rdf:RDF>", "<x>", "",
        "<?xml version=\"1.0\"?>\r\n<!DOCTYPE svg [<!ENTITY e \"'\">]><svg>", "\u{FEFF}<rss>",
    ]

    static let all = [
        "<media:thumbnail url=\"a.png\"/>", "<enclosure url='b.png' type='image/png'/>", "<logo>",
        "</logo>", "<image><url>c.png</url></image>", "<image>", "<url>", "</url>", "d.png",
        "<image:loc>e.png</image:loc>", "<image:loc>", "</image:loc>", "<description>",
        "</description>", "<content type=\"xhtml\">", "<content type='html'>", "</content>",
        "<![CDATA[", "]]>", "&lt;img src=\"f.png\"&gt;", "&lt;img src=g.png&gt;",
        "<img src=\"h.png\"/>", "<img srcset='i.png 1x, j.png 2x'/>", "<image href=\"k.png\"/>",
        "<image xlink:href='l.png&amp;x'/>", "<g style=\"fill:url(m.png)\"/>",
        "<g style=\"fill:url(&quot;n.png&quot;)\">", "</g>", "<style>", "</style>",
        "a{b:url(o.png)}", "<script type=\"application/ld+json\">", "</script>",
        "{\"image\": \"p.png\"}", "<!--", "-->", "<!-- imgbake-off -->", "<!-- imgbake-on -->",
        "<?x", "?>", "<!DOCTYPE x>", "<picture data-imgbake-format=\"png\">", "</picture>",
        "<img data-imgbake='off' src='q.png'/>", "<base href='/b/'/>", "&amp;", "&", "&x;",
        "&#233;",
        "<", ">", "\"", "'", "=", "é", " ", "\r\n", "\n", "\0", "</", "<x>", "</x>", "text",
        "<a b=\"c>d\" ", "/>", "&lt;", "&gt;", "&lt;p&gt;", "&lt;!--", "--&gt;", "<media:content ",
        "url=\"r.png\"", "<link rel='enclosure' href='s.png'/>",
        "<meta name='twitter:image' content='t'/>",
    ]
}

/// Parts of front matter, with the fences around them.
enum FrontMatterPieces {
    static let all: [(open: String, lines: [String], close: String)] = [
        ("---\n", yaml, "---\n"), ("---\r\n", yaml, "...\n"), ("+++\n", toml, "+++\n"),
        ("{\"a\": 1", json, "}\n"), ("---json\n{\"a\": 1", json, "}\n---\n"),
    ]

    private static let yaml = [
        "title: x\n", "image: a.png\n", "cover: 'b.png'\n", "logo: \"c.png\"\n",
        "hero: {src: d.png}\n",
        "images: [e.png, 'f.png']\n", "images:\n", "- g.png\n", "  - src: h.png\n", "banner: |\n",
        "  i.png\n", "poster: &a j.png\n", "x: *a\n", "avatar: *a\n", "thumbnail: \"k\\x2epng\"\n",
        "é: ",
        "# c\n", "\n", "\r\n", "\t", " ", "x:\n", "  image: 'l''.png'\n", "<<: ", "- ", "? ", ": ",
    ]

    private static let toml = [
        "title = 'x'\n", "image = 'a.png'\n", "cover.image = \"b.png\"\n", "[params]\n",
        "[[images]]\n", "src = 'c.png'\n", "logo = \"\"\"d.png\"\"\"\n", "hero = '''\n",
        "images = ['e.png',\n", "'f.png']\n", "banner = { url = 'g.png' }\n", "# c\n", "\r\n",
        "'''\n",
        "poster = \"h\\u002epng\"\n", "x = 1\n", "'", "\"", "é",
    ]

    private static let json = [
        ", \"image\": \"a.png\"", ", \"images\": [\"b.png\", {\"src\": \"c.png\"}]",
        ", \"x\": [1, {}]",
        ", \"logo\": \"d\\u002epng\"", "\n", " ", ", \"cover\": {\"image\": \" e.png \"}",
        ", \"é\": null",
    ]
}
