extension LookCase {
    /// Images that attributes and rules of CSS size and place.
    static let layout = narrow + wide

    private static let narrow: [LookCase] = [
        LookCase(name: "plain", html: "a <img src=ORIGIN/320x240-1.jpg> b"),
        LookCase(
            name: "max-width-without-height", html: "<img src=ORIGIN/1600x900-1.jpg>",
            css: "& { width: 260px } & img { max-width: 100% }"),
        LookCase(
            name: "max-width-with-height-auto", html: "<img src=ORIGIN/1600x900-1.jpg>",
            css: "& { width: 260px } & img { max-width: 100%; height: auto }"),
        LookCase(
            name: "logo-height",
            html: "<a class=logo><img src=ORIGIN/320x240-1.jpg></a><i>after</i>",
            css: "& .logo img { height: 40px }"),
        LookCase(
            name: "max-height", html: "<img src=ORIGIN/320x240-1.jpg>",
            css: "& img { max-height: 120px }"),
        LookCase(
            name: "full-width", html: "<img src=ORIGIN/320x240-1.jpg>",
            css: "& { width: 350px } & img { width: 100% }"),
        LookCase(
            name: "viewport-units", html: "<img src=ORIGIN/320x240-1.jpg>",
            css: "& img { width: 25vw; max-height: 30vh }"),
        LookCase(
            name: "min-sizes", html: "<img src=ORIGIN/80x60-1.png>",
            css: "& img { min-width: 100px; min-height: 90px }"),
        LookCase(name: "width-attribute", html: "<img width=200 src=ORIGIN/320x240-1.jpg>"),
        LookCase(name: "height-attribute", html: "<img height=100 src=ORIGIN/320x240-1.jpg>"),
        LookCase(
            name: "both-attributes", html: "<img width=90 height=90 src=ORIGIN/320x240-1.jpg>"),
        LookCase(name: "percent-attribute", html: "<img width=20% src=ORIGIN/320x240-1.jpg>"),
        LookCase(
            name: "attributes-for-the-ratio",
            html: "<img width=3 height=2 src=ORIGIN/320x240-1.jpg>",
            css: "& img { width: 150px; height: auto }"),
        LookCase(
            name: "style-attributes",
            html: """
                <img style="width:150px" src=ORIGIN/320x240-1.jpg>
                <img style="height:90px" src=ORIGIN/320x240-1.jpg>
                """),
        LookCase(
            name: "old-attributes",
            html: "<img align=right hspace=10 border=3 src=ORIGIN/320x240-1.jpg>words around it"),
        LookCase(
            name: "object-fit",
            html: ["cover", "contain", "none", "scale-down", "fill"].map {
                "<img style='object-fit:\($0)' src=ORIGIN/320x240-1.jpg>"
            }.joined(separator: "\n"),
            css: "& img { width: 60px; height: 110px }"),
        LookCase(
            name: "aspect-ratio",
            html: """
                <img style="aspect-ratio:1;width:80px" src=ORIGIN/320x240-1.jpg>
                <img style="aspect-ratio:auto 1;height:80px" src=ORIGIN/320x240-1.jpg>
                """),
        LookCase(
            name: "flex-row",
            html: "<img src=ORIGIN/320x240-1.jpg><p>words</p><img src=ORIGIN/80x60-1.png>",
            css: "& { display: flex }"),
        LookCase(
            name: "flex-that-shrinks",
            html: "<img src=ORIGIN/1600x900-1.jpg><img src=ORIGIN/320x240-1.jpg>",
            css: "& { display: flex; align-items: flex-start } & img { min-width: 0; flex: 1 }"),
        LookCase(
            name: "flex-column",
            html: "<img src=ORIGIN/320x240-1.jpg><img src=ORIGIN/80x60-1.png>",
            css: "& { display: flex; flex-direction: column }"),
        LookCase(
            name: "flex-with-a-limit",
            html: "<img src=ORIGIN/320x240-1.jpg><p>many words that take what room is left</p>",
            css: "& { display: flex } & img { max-width: 50%; align-self: center }"),
        LookCase(
            name: "grid", html: "<img src=ORIGIN/320x240-1.jpg><img src=ORIGIN/80x60-1.png>",
            css: "& { display: grid; grid-template-columns: 1fr 2fr; gap: 8px }"),
        LookCase(
            name: "grid-that-stretches",
            html: "<img src=ORIGIN/320x240-1.jpg><img src=ORIGIN/80x60-1.png>",
            css: "& { display: grid; grid-template-columns: auto 1fr; place-items: stretch }"),
        LookCase(
            name: "table",
            html: """
                <table border=1><tr><td><img src=ORIGIN/320x240-1.jpg><td>many words in a cell
                <tr><td>words<td><img src=ORIGIN/80x60-1.png></table>
                """),
        LookCase(
            name: "table-with-limits",
            html: """
                <table style="width:100%"><tr><td><img src=ORIGIN/1600x900-1.jpg><td>words</table>
                """, css: "& img { max-width: 100% }"),
        LookCase(
            name: "float", html: "<img src=ORIGIN/80x60-1.png>words that flow around it",
            css: "& img { float: left; margin: 0 10px; width: 30% }"),
        LookCase(
            name: "figure",
            html: """
                <figure><img src=ORIGIN/320x240-1.jpg><figcaption>a caption that is much wider than
                the image is, and so breaks into lines</figcaption></figure>
                """, css: "& figure { width: min-content; margin: 0 }"),
        LookCase(
            name: "figure-as-a-table",
            html: "<figure><img src=ORIGIN/320x240-1.jpg><figcaption>words</figcaption></figure>",
            css: "& figure { display: table } & img { max-width: 100% }"),
        LookCase(
            name: "shrink-to-fit", html: "<span><img src=ORIGIN/320x240-1.jpg></span>",
            css: "& span { display: inline-block } & img { max-width: 100%; max-height: 150px }"),
        LookCase(
            name: "absolute", html: "<div><img src=ORIGIN/320x240-1.jpg></div>",
            css: """
                & div { position: relative; width: 30%; padding-top: 20% }
                & img { position: absolute; inset: 0; width: 100%; height: 100% }
                """),
        LookCase(
            name: "multiple-columns",
            html: "<img src=ORIGIN/320x240-1.jpg><img src=ORIGIN/80x60-1.png>words",
            css: "& { columns: 2 } & img { max-width: 100% }"),
    ]

    /// Images wider than the default limit of 1600 pixels that something constrains.
    private static let wide: [LookCase] = [
        LookCase(
            name: "wide-max-width", html: "<img src=ORIGIN/3000x2000-1.jpg>",
            css: "& img { max-width: 100%; height: auto }", tolerance: scaled),
        LookCase(
            name: "wide-max-width-without-height", html: "<img src=ORIGIN/3000x2000-1.jpg>",
            css: "& { width: 300px } & img { max-width: 100% }", tolerance: scaled),
        LookCase(
            name: "wide-max-height", html: "<img src=ORIGIN/3000x2000-1.jpg>",
            css: "& img { max-height: 150px }", tolerance: scaled),
        LookCase(
            name: "wide-attributes",
            html: """
                <img width=150 src=ORIGIN/3000x2000-1.jpg>
                <img height=90 src=ORIGIN/3000x2000-1.jpg>
                """, tolerance: scaled),
        LookCase(
            name: "wide-object-fit", html: "<img src=ORIGIN/3000x2000-1.jpg>",
            css: "& img { width: 100px; height: 100px; object-fit: cover }", tolerance: scaled),
        LookCase(
            name: "wide-grid", html: "<img src=ORIGIN/3000x2000-1.jpg><p>words</p>",
            css: "& { display: grid; grid-template-columns: 200px 1fr } & img { width: 100% }",
            tolerance: scaled),
    ]
}
