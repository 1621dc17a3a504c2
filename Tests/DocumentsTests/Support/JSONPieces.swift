import DocumentSyntax

/// Parts of JSON Feeds and web app manifests.
enum JSONPieces {
    /// The beginning of an object, the members that can follow, and its end.
    static let documents: [(open: String, members: [String], close: String)] = [
        ("{\"version\": \"https:\\/\\/jsonfeed.org\\/version\\/1\"", feed, "}"),
        (
            "\u{FEFF}{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"id\":\"1\"",
            items, "}]}"
        ),
        ("{\"name\": \"x\"", manifest, "}\n"),
    ]

    private static let feed = [
        "\"icon\": \"a.png\"", "\"favicon\": \" b.png \"", "\"icon\": \"c\\u002e\\\"png\"",
        "\"authors\": [{\"avatar\": \"d.png\"}]", "\"items\": [{\"image\": \"e.png\"}, {}]",
        "\n", "\"é\": null", "\"icon\": 1", "\"icon\": \"{{ f }}\"", "",
    ]

    private static let items = [
        "\"image\": \"a.png\"", "\"banner_image\": \"b\\/c.png\"",
        "\"content_html\": \"<img src=\\\"d.png\\\"> \\n<img src=e.png>\"",
        "\"content_html\": \"\\u003cp style='f:url(g.png)'\\u003e é \\ud83d\\ude00 &amp;\"",
        "\"content_html\": \"<img srcset='h.png 1x, i.png 2x' data-imgbake-format=png>\"",
        "\"content_html\": \"<!-- imgbake-off --><img src=x><!-- imgbake-on --><img src='j'>\"",
        "\"attachments\": [{\"url\": \"k\", \"mime_type\": \"image/png\"}, {\"url\": \"l.png\"}]",
        "\"content_html\": \"<iframe srcdoc=\\\"<img src='m'>\\\">\"", "\"x\": \"<img src=n>\"",
    ]

    private static let manifest = [
        "\"icons\": [{\"src\": \"a.png\"}, {\"src\": \"b\\/c.png\"}]",
        "\"display\": \"standalone\"",
        "\"screenshots\": [{\"src\": \"d.png\"}]", "\"icons\": []",
        "\"shortcuts\": [{\"icons\": [{\"src\": \"e.png\"}]}]",
    ]
}
