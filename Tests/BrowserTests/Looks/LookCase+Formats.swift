extension LookCase {
    /// Files of every kind as plain images.
    static let formats: [LookCase] = [
        LookCase(
            name: "several-formats",
            html: ["jpg", "png", "gif", "webp", "avif"].map { "<img src=ORIGIN/80x60-2.\($0)>" }
                .joined(separator: "\n")),
        LookCase(
            name: "transparent", html: "<img src=ORIGIN/transparent.png>",
            css: "& { background: repeating-linear-gradient(45deg, teal 0 20px, gold 0 40px) }"),
        LookCase(name: "animated", html: "<img src=ORIGIN/animated.gif>", moves: true),
        LookCase(
            name: "damaged-animation",
            html: "<img src=ORIGIN/unordered.png> <img src=ORIGIN/frameless.png>"),
        LookCase(name: "sixteen-bits", html: "<img src=ORIGIN/deep.png>"),
        LookCase(name: "wide-gamut", html: "<img src=ORIGIN/p3.jpg>"),
        LookCase(name: "cmyk", html: "<img src=ORIGIN/cmyk.jpg>"),
        LookCase(
            name: "colours-stated-outside-the-pixels",
            html: ["gamma.png", "primaries.png", "plain-cmyk.jpg", "no-profile.jpg"]
                .map { "<img width=200 src=ORIGIN/\($0)>" }.joined(separator: "\n")),
        LookCase(name: "turned-webp", html: "<img src=ORIGIN/turned.webp>"),
        LookCase(name: "icon-as-an-image", html: "<img src=ORIGIN/icon.ico>"),
        LookCase(
            name: "turned-by-exif",
            html: "<img src=ORIGIN/turned.jpg><img width=60 src=ORIGIN/turned.jpg>"),
        LookCase(
            name: "turned-by-exif-explicitly", html: "<img src=ORIGIN/turned.jpg>",
            css: "& img { image-orientation: from-image }"),
        LookCase(
            name: "exif-orientation-ignored", html: "<img src=ORIGIN/turned.jpg>",
            css: "& img { image-orientation: none }"),
        LookCase(
            name: "turned-in-css", html: "<p></p>",
            css: "& p { width: 200px; height: 200px; background: url(ORIGIN/turned.jpg) repeat }"),
        LookCase(
            name: "resolution-in-exif",
            html: "<img src=ORIGIN/dense.jpg><img style='width:50px' src=ORIGIN/dense.jpg>"),
        LookCase(name: "drawing-with-a-size", html: "<img src=ORIGIN/drawing.svg>"),
        LookCase(
            name: "drawing-with-a-ratio",
            html: "<img src=ORIGIN/ratio.svg><p><img src=ORIGIN/ratio.svg>words</p>",
            css: "& { width: 200px } & p { display: inline-block; margin: 0 }"),
        LookCase(name: "drawing-without-a-size", html: "<img src=ORIGIN/sizeless.svg>"),
        LookCase(
            name: "drawing-scaled", html: "<img src=ORIGIN/drawing.svg>",
            css: "& img { width: 400px; height: 200px }"),
        LookCase(
            name: "drawing-that-follows-the-color-scheme", html: "<img src=ORIGIN/scheme.svg>"),
        LookCase(
            name: "light-or-dark-by-fragment",
            html: """
                <img src="ORIGIN/320x240-3.jpg#only-light"><img src="ORIGIN/80x60-3.png#only-dark">
                """,
            css: """
                & img[src$="#only-dark"] { display: none }
                @media (prefers-color-scheme: dark) {
                    & img[src$="#only-dark"] { display: inline }
                    & img[src$="#only-light"] { display: none }
                }
                """),
        LookCase(
            name: "lazy", html: "<img loading=lazy decoding=async src=ORIGIN/320x240-4.jpg>"),
        LookCase(
            name: "lazy-by-a-script",
            html: """
                <img class=lazy data-src=ORIGIN/320x240-5.jpg src=data:image/gif;base64,\
                R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==>
                <img class=lazy data-srcset="ORIGIN/320x240-6.jpg 1x, ORIGIN/640x480-6.jpg 2x">
                <script>
                const observer = new IntersectionObserver(entries => entries.forEach(entry => {
                    const image = entry.target;
                    if (!entry.isIntersecting) return;
                    if (image.dataset.src) image.src = image.dataset.src;
                    if (image.dataset.srcset) image.srcset = image.dataset.srcset;
                }));
                document.querySelectorAll("img.lazy").forEach(image => observer.observe(image));
                </script>
                """),
    ]
}
