extension LookCase {
    /// Elements besides `<img>` that show an image.
    static let elements: [LookCase] = [
        // Chromium draws a frame from another host only where it is inside the window, so these are
        // the first on their page.
        LookCase(
            name: "object-drawing",
            html: "<object data=ORIGIN/drawing.svg type=image/svg+xml></object>"),
        LookCase(
            name: "embed",
            html: """
                <embed src=ORIGIN/240x160-5.png type=image/png>
                <embed src=ORIGIN/drawing.svg type=image/svg+xml width=90>
                """),
        LookCase(name: "poster", html: "<video poster=ORIGIN/240x160-1.jpg></video>words"),
        LookCase(
            name: "poster-under-rules", html: "<video poster=ORIGIN/240x160-1.jpg></video>",
            css: "& video { width: 25%; object-fit: cover; aspect-ratio: 1 }"),
        LookCase(
            name: "input",
            html: """
                <input type=image src=ORIGIN/80x60-1.png>
                <input type=image height=30 src=ORIGIN/80x60-1.png>
                """),
        LookCase(
            name: "object",
            html: """
                <object data=ORIGIN/240x160-5.png type=image/png></object>
                <object data=ORIGIN/80x60-2.jpg type=image/jpeg width=60></object>
                """),
        LookCase(
            name: "object-without-a-type",
            html: "<object data=ORIGIN/240x160-5.png>words</object>"),
        LookCase(
            name: "image-in-svg",
            html: """
                <svg width=300 height=200>
                <image href=ORIGIN/240x160-1.jpg width=200 height=190 />
                <image href=ORIGIN/80x60-1.png x=200 width=90 height=90 \
                preserveAspectRatio=none />
                </svg>
                """),
        LookCase(
            name: "image-in-svg-of-its-own-size",
            html: "<svg width=300 height=200><image xlink:href=ORIGIN/240x160-1.jpg /></svg>"),
        LookCase(
            name: "wide-image-in-svg",
            html: """
                <svg width=300 height=200><image href=ORIGIN/3000x2000-1.jpg width=300 /></svg>
                """, tolerance: scaled),
        LookCase(
            name: "icons",
            html: """
                <link rel=icon sizes="16x16 32x32 48x48" href=ORIGIN/icon.ico>
                <link rel=icon type=image/png sizes=512x512 href=ORIGIN/512x512-1.png>
                <link rel=icon type=image/svg+xml href=ORIGIN/drawing.svg>
                <link rel=apple-touch-icon sizes=180x180 href=ORIGIN/180x180-1.png>
                <link rel=icon type=image/png sizes=2000x2000 href=ORIGIN/2000x2000-1.png>
                """),
        LookCase(
            name: "preload",
            html: """
                <link rel=preload as=image type=image/jpeg href=ORIGIN/480x320-6.jpg>
                <link rel=preload as=image imagesizes=50vw
                imagesrcset="ORIGIN/400x100-1.jpg 400w, ORIGIN/1200x300-1.jpg 1200w">
                <img src=ORIGIN/480x320-6.jpg>
                <img sizes=50vw srcset="ORIGIN/400x100-1.jpg 400w, ORIGIN/1200x300-1.jpg 1200w">
                """),
        LookCase(
            name: "background-attribute",
            html: """
                <table background=ORIGIN/80x60-1.png width=200 height=150><tr>
                <td background=ORIGIN/80x60-3.png>words</table>
                """),
        LookCase(
            name: "frame",
            html: """
                <iframe width=400 height=200 srcdoc="<img src='ORIGIN/240x160-1.jpg'>"></iframe>
                """),
        LookCase(
            name: "shadow",
            html: """
                <div><template shadowrootmode=open><style>img { width: 100px }</style>
                <img src=ORIGIN/240x160-1.jpg><slot></slot></template>words</div>
                """),
        LookCase(
            name: "image-map",
            html: """
                <img usemap=#map src=ORIGIN/240x160-1.jpg>
                <map name=map><area shape=rect coords=0,0,120,80 href=#map></map>
                """),
    ]
}
