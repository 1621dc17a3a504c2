extension LookCase {
    /// `srcset`, `sizes` and `<picture>`: the file that is shown, and its size.
    static let candidates = narrowCandidates + wideCandidates

    private static let narrowCandidates: [LookCase] = [
        LookCase(
            name: "small-fallback",
            html: """
                <picture><source srcset=ORIGIN/1200x800-1.jpg>
                <img src=ORIGIN/240x160-1.jpg></picture>
                """),
        LookCase(
            name: "sources-by-media",
            html: """
                <picture>
                <source media="(max-width: 500px)" srcset=ORIGIN/240x320-2.jpg>
                <source media="(max-width: 900px)" srcset=ORIGIN/480x360-2.jpg>
                <img src=ORIGIN/800x200-2.jpg>
                </picture>
                """),
        LookCase(
            name: "sources-by-type",
            html: """
                <picture>
                <source type=image/avif srcset=ORIGIN/240x160-3.avif>
                <source type=image/webp srcset=ORIGIN/320x240-3.webp>
                <source type=image/jpeg srcset=ORIGIN/480x320-3.jpg>
                <img src=ORIGIN/80x60-3.png>
                </picture>
                """),
        LookCase(
            name: "webp-before-avif",
            html: """
                <picture>
                <source type=image/webp srcset=ORIGIN/320x240-3.webp>
                <source type=image/avif srcset=ORIGIN/240x160-3.avif>
                <img src=ORIGIN/80x60-3.png>
                </picture>
                """),
        LookCase(
            name: "source-whose-type-is-not-true",
            html: """
                <picture><source type=image/webp srcset=ORIGIN/240x160-5.jpg>
                <img src=ORIGIN/80x60-3.png></picture>
                """),
        LookCase(
            name: "source-of-a-drawing",
            html: """
                <picture><source type=image/svg+xml srcset=ORIGIN/drawing.svg>
                <img src=ORIGIN/320x240-3.jpg></picture>
                """),
        LookCase(
            name: "source-with-a-size",
            html: """
                <picture><source width=600 height=200 srcset=ORIGIN/1200x400-1.jpg>
                <img src=ORIGIN/240x160-1.jpg width=240 height=160></picture>
                """, css: "& img { width: 50%; height: auto }"),
        LookCase(
            name: "dark-source",
            html: """
                <picture><source media="(prefers-color-scheme: dark)" srcset=ORIGIN/320x240-5.png>
                <img src=ORIGIN/240x160-5.jpg></picture>
                """),
        LookCase(
            name: "print-source",
            html: """
                <picture><source media=print srcset=ORIGIN/320x240-5.png>
                <img src=ORIGIN/240x160-5.jpg></picture>
                """),
        LookCase(
            name: "widths-and-sizes",
            html: """
                <img sizes="(max-width: 600px) 100vw, 33vw" src=ORIGIN/400x100-1.jpg srcset="
                ORIGIN/400x100-1.jpg 400w, ORIGIN/800x200-1.jpg 800w, ORIGIN/1200x300-1.jpg 1200w">
                """),
        LookCase(
            name: "widths-without-sizes",
            html: """
                <img src=ORIGIN/400x100-1.jpg
                srcset="ORIGIN/400x100-1.jpg 400w,ORIGIN/1200x300-1.jpg 1200w">
                """),
        LookCase(
            name: "widths-under-rules",
            html: """
                <img sizes=100vw width=600 height=150 src=ORIGIN/400x100-1.jpg
                srcset="ORIGIN/400x100-1.jpg 400w, ORIGIN/1200x300-1.jpg 1200w">
                """, css: "& img { max-width: 50%; height: auto }"),
        LookCase(
            name: "widths-in-sources",
            html: """
                <picture>
                <source media="(min-width: 1000px)" sizes=50vw
                srcset="ORIGIN/400x100-1.jpg 400w, ORIGIN/1200x300-1.jpg 1200w">
                <source sizes=80vw srcset="ORIGIN/240x160-1.jpg 240w, ORIGIN/1200x800-1.jpg 1200w">
                <img src=ORIGIN/80x60-1.png>
                </picture>
                """),
        LookCase(
            name: "automatic-sizes",
            html: """
                <img loading=lazy sizes=auto width=300 height=75 src=ORIGIN/400x100-1.jpg
                srcset="ORIGIN/400x100-1.jpg 400w, ORIGIN/1200x300-1.jpg 1200w">
                """),
        LookCase(
            name: "declared-wider-than-it-is",
            html: """
                <img sizes=300px src=ORIGIN/240x160-1.jpg
                srcset="ORIGIN/240x160-1.jpg 320w, ORIGIN/480x320-3.jpg 640w">
                """),
        LookCase(
            name: "densities",
            html: """
                <img src=ORIGIN/240x160-1.jpg srcset="ORIGIN/240x160-1.jpg,
                ORIGIN/480x320-1.jpg 2x, ORIGIN/720x480-1.jpg 3x">
                """),
        LookCase(
            name: "densities-between",
            html: "<img srcset='ORIGIN/240x160-1.jpg 1x, ORIGIN/480x320-1.jpg 1.5x'>"),
        LookCase(
            name: "only-a-second-density",
            html: "<img src=ORIGIN/240x160-1.jpg srcset='ORIGIN/480x320-1.jpg 2x'>"),
        LookCase(
            name: "a-candidate-in-the-page",
            html: """
                <img sizes=200px src=ORIGIN/240x160-1.jpg srcset="ORIGIN/480x320-1.jpg 480w,
                data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw== 20w">
                """),
    ]

    /// Candidates wider than the default limit of 1600 pixels.
    private static let wideCandidates: [LookCase] = [
        LookCase(
            name: "wide-candidate-by-width",
            html: """
                <img sizes=50vw src=ORIGIN/800x533-1.jpg
                srcset="ORIGIN/800x533-1.jpg 800w, ORIGIN/3000x2000-1.jpg 3000w">
                """, tolerance: scaled),
        LookCase(
            name: "wide-candidates-become-equal",
            html: """
                <img sizes=90vw src=ORIGIN/800x533-1.jpg srcset="ORIGIN/800x533-1.jpg 800w,
                ORIGIN/2400x1600-1.jpg 2400w, ORIGIN/3000x2000-1.jpg 3000w">
                """, css: "& img { max-height: 250px }", tolerance: scaled,
            mayMergeCandidates: true),
        LookCase(
            name: "wide-candidate-declared-wider-than-it-is",
            html: """
                <img sizes=300px src=ORIGIN/240x160-1.jpg srcset="ORIGIN/2400x1600-1.jpg 3000w">
                """, tolerance: scaled),
        LookCase(
            name: "wide-candidate-by-density",
            html: """
                <img src=ORIGIN/1200x800-1.jpg
                srcset="ORIGIN/1200x800-1.jpg, ORIGIN/3600x2400-1.jpg 3x">
                """, tolerance: scaled),
        LookCase(
            name: "wide-candidates-by-density",
            html: """
                <img src=ORIGIN/800x533-1.jpg srcset="ORIGIN/800x533-1.jpg 1x,
                ORIGIN/1600x1066-1.jpg 2x, ORIGIN/2400x1599-1.jpg 3x">
                """, tolerance: scaled, mayMergeCandidates: true),
        LookCase(
            name: "wide-source",
            html: """
                <picture><source media="(min-width: 600px)" srcset="ORIGIN/1200x800-1.jpg 1x,
                ORIGIN/3600x2400-1.jpg 3x"><img src=ORIGIN/240x160-1.jpg></picture>
                """, tolerance: scaled),
    ]
}
