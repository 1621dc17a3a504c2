extension LookCase {
    /// Images that CSS names, in a style sheet in another folder.
    static let styles: [LookCase] = [
        background("background", "url(ORIGIN/80x60-1.png) no-repeat"),
        background("background-tiles", "url(ORIGIN/80x60-1.png) space"),
        background("background-position", "url(ORIGIN/80x60-1.png) no-repeat right 10% bottom"),
        background("background-cover", "url(ORIGIN/1200x800-1.jpg) center / cover"),
        background("background-contain", "url(ORIGIN/1200x800-1.jpg) center / contain no-repeat"),
        background("background-percent", "url(ORIGIN/1200x800-1.jpg) 0 0 / 25% auto"),
        background("background-larger", "url(ORIGIN/1200x800-1.jpg) center no-repeat"),
        background(
            "backgrounds",
            "url(ORIGIN/80x60-1.png) no-repeat 20px 20px, url('ORIGIN/480x320-1.jpg')"),
        background("background-drawing", "url(ORIGIN/ratio.svg) center no-repeat"),
        background("background-wide-cover", "url(ORIGIN/3000x2000-1.jpg) center / cover"),
        background(
            "image-set",
            "image-set(url(ORIGIN/240x160-1.jpg) 1x, url(ORIGIN/480x320-1.jpg) 2x) no-repeat"),
        background(
            "image-set-of-strings",
            "image-set('ORIGIN/240x160-1.jpg' 1x, 'ORIGIN/480x320-1.jpg' 2x) no-repeat"),
        background(
            "image-set-with-types",
            """
            image-set(url(ORIGIN/240x160-3.avif) type('image/avif'), \
            url(ORIGIN/320x240-3.webp) type('image/webp')) no-repeat
            """),
        background(
            "image-set-with-a-prefix",
            """
            -webkit-image-set(url(ORIGIN/240x160-1.jpg) 1x, url(ORIGIN/480x320-1.jpg) 2x) no-repeat
            """),
        LookCase(
            name: "background-in-an-attribute",
            html: "<p style=\"height:200px;background:url('ORIGIN/80x60-1.png')\"></p>"),
        LookCase(
            name: "background-in-a-variable",
            html: "<p></p>",
            css: """
                & { --picture: url(ORIGIN/80x60-4.png) }
                & p { height: 200px; background: var(--picture) }
                """),
        LookCase(
            name: "background-by-color-scheme", html: "<p></p>",
            css: """
                & p { height: 200px; background: url(ORIGIN/80x60-1.png) no-repeat }
                @media (prefers-color-scheme: dark) { & p { background: url(ORIGIN/240x160-1.jpg) } }
                """),
        LookCase(
            name: "background-in-print", html: "<p></p>",
            css: """
                & p { height: 200px; background: url(ORIGIN/80x60-1.png) no-repeat }
                @media print { & p { background: url(ORIGIN/240x160-1.jpg) } }
                """),
        LookCase(
            name: "list-marker", html: "<ul><li>one<li>two</ul>",
            css: "& ul { list-style-image: url(ORIGIN/80x60-1.png) }"),
        LookCase(
            name: "generated-content", html: "<span>words</span><b>words</b>",
            css: """
                & span { border: 1px solid; display: inline-block }
                & span::before { content: url(ORIGIN/80x60-1.png) }
                & b::after { content: ' ' url(ORIGIN/80x60-1.png) / 'picture'; display: block }
                """),
        LookCase(
            name: "generated-by-density", html: "<span>words</span>",
            css: """
                & span { border: 1px solid; display: inline-block }
                & span::after {
                    content: image-set(url(ORIGIN/240x160-1.jpg) 1x, url(ORIGIN/480x320-1.jpg) 2x)
                }
                """),
        LookCase(
            name: "replaced-element", html: "<div></div><img alt=x src=ORIGIN/80x60-1.png>",
            css: """
                & div { content: url(ORIGIN/80x60-1.png) }
                & img { content: url(ORIGIN/80x60-3.png) }
                """),
        LookCase(
            name: "border-image", html: "<p>words</p>",
            css: "& p { border: 20px solid; border-image: url(ORIGIN/80x60-1.png) 15 20 round }"),
        LookCase(
            name: "mask", html: "<p></p>",
            css: """
                & p { height: 200px; background: teal; mask: url(ORIGIN/transparent.png) no-repeat }
                """),
        LookCase(
            name: "shape",
            html: """
                <i></i><p>\(String(repeating: "words ", count: 60))<img src=ORIGIN/80x60-1.png></p>
                """,
            css: """
                & i { float: left; width: 320px; height: 240px;
                    shape-outside: url(ORIGIN/transparent.png); shape-image-threshold: 0.5 }
                """),
    ]

    private static func background(_ name: String, _ value: String) -> LookCase {
        LookCase(
            name: name, html: "<p></p>",
            css: "& p { width: 90%; height: 280px; margin: 0; background: \(value) }")
    }
}
