import Baking
import ImageFormats
import Pictures
import Recipes
import Records
import Sites

extension SettingTable {
    /// The settings of the output.
    static let output: [Setting<Settings>] = [
        Setting(
            "output", .path("folder"), decides: .run, option: .short("o"), sample: "public",
            help: """
                Write a complete copy of the site to this folder and leave the site as it is. Without \
                it, the site itself is baked, in place.
                """
        ) { $1.output = $0 },
        Setting(
            "sync", .flag, decides: .run, option: .long, default: "true",
            help: """
                In place, wait until documents are on disk before they replace the old ones, so that \
                no document is lost in a power failure.
                """
        ) { $1.isSynced = $0 },
        Setting(
            "forget-secret-urls", .flag, decides: .reading, option: .long, default: "false",
            help: """
                In place, also bake images whose URL has a password or a signature that expires. \
                Such a URL is not stored, so 'imgbake restore' cannot put it back. Without it, these \
                images stay on their hosts and are named.
                """
        ) { $1.reading.forgetsSecretURLs = $0 },
        Setting(
            "copy-hidden", .flag, decides: .run, option: .long, default: "false",
            help: """
                Copy all hidden files to the output folder, such as .env, and not only those that a \
                published site needs: .well-known, .nojekyll, .htaccess and the like. Files of \
                version control are never copied.
                """
        ) { $1.copiesHidden = $0 },
        Setting(
            "rewrite", .flag, decides: .run, option: .long, default: "true",
            help: """
                Rewrite references to the baked images. With --no-rewrite, images are made and \
                documents stay as they are, for templates that read the manifest.
                """
        ) { $1.rewrites = $0 },
        Setting(
            "manifest", .path("file"), decides: .run, option: .long, sample: "data/images.json",
            help: """
                Write a JSON file that lists each image with its source, its files, their sizes and \
                the places that name it.
                """
        ) { $1.manifest = $0 },
    ]

    /// The settings of images.
    static let images = pictures + loading + resources

    /// The settings that decide the files of an image.
    static let pictures: [Setting<Settings>] = [
        Setting(
            "local", .flag, decides: .reading, option: .long, default: "false",
            help: "Bake the site's own images too. The originals stay where they are."
        ) { $1.reading.includesLocal = $0 },
        Setting(
            "format", .word(), decides: .variants, option: .long, default: "auto",
            help: """
                The format of images: webp, avif, jpeg, png, auto (WebP where that is smaller than \
                the source) or keep (the source's own format).
                """
        ) { $1.variants.format = $0 },
        Setting(
            "quality", .quality, decides: .variants, option: .long, without: "auto", sample: "80",
            help: """
                The quality of WebP, JPEG and AVIF: a number of the encoder, or low, medium or high, \
                which look alike in all formats and give smooth images a higher number. auto is \
                medium.
                """
        ) { $1.variants.quality = $0 },
        Setting(
            "effort", .word(), decides: .variants, option: .long, default: "normal",
            help: """
                How much work the encoders do for smaller files: normal, or high (several times the \
                time of normal, for a few percent fewer bytes).
                """
        ) { $1.variants.effort = $0 },
        Setting(
            "max-width", .orNone(.integer(VariantOptions.widths, "pixels")), decides: .variants,
            option: .long,
            default: "1600",
            help: "Scale wider images down to this width. No image is scaled up."
        ) { $1.variants.maximumWidth = $0 },
        Setting(
            "svg", .word(), decides: .variants, option: .long, default: "sanitise",
            help: """
                How to treat SVGs: sanitise (remove scripts and references to other files), refuse \
                (bake no SVG that has them) or rasterise (draw SVGs as WebP or PNG).
                """
        ) { $1.variants.svg = $0 },
        Setting(
            "frames", .word(), decides: .variants, option: .long, default: "all",
            help: """
                Which frames of an animation to use: all, first (one still image) or keep (leave \
                animations as they are, in their own size and format).
                """
        ) { $1.variants.frames = $0 },
        Setting(
            "metadata", .choice(["strip": nil, "copyright": .copyright, "keep": .keep]),
            decides: .variants,
            option: .long, default: "strip",
            help: """
                The metadata of images: strip (none), copyright (author and copyright, without the \
                place and all else) or keep (EXIF, XMP and IPTC).
                """
        ) { $1.variants.metadata = $0 },
    ]

    /// The settings of how pages show images while they load, and for which screens.
    static let loading: [Setting<Settings>] = [
        Setting(
            "dimensions", .flag, decides: .reading, option: .long, default: "false",
            help: """
                Add width and height to each <img> that has neither, so that pages do not jump while \
                they load. Needs 'img { height: auto }' where the CSS limits the width.
                """
        ) { $1.reading.addsDimensions = $0 },
        Setting(
            "responsive", .flag, decides: .reading, option: .long, default: "false",
            help: """
                Make images of HTML pages in several widths and add srcset and sizes, and \
                loading="lazy" below the first two images. An image whose size on the page could \
                change is left with one file. In imgbake.yml it may hold the settings below without \
                the beginning of their names: 'responsive: {widths: [400, 800], lazy: false}'.
                """
        ) { $1.reading.responsive.isOn = $0 },
        Setting(
            "responsive-widths", .widths, decides: .reading, option: .long,
            default: "[320, 480, 640, 960, 1280, 1600, 1920]",
            help: "The widths that --responsive makes, in pixels, of images that are wider."
        ) { $1.reading.responsive.widths = $0 },
        Setting(
            "responsive-formats", .list(of: .word(among: ResponsiveOptions.allowedFormats)),
            decides: .reading, option: .long, sample: "[avif, webp]",
            help: """
                With --responsive, put images into a <picture> with a <source> in each of these \
                formats, the preferred one first. The <img> keeps a file in its own format, which \
                every browser shows. A page whose style sheets could notice it gets none.
                """
        ) { $1.reading.responsive.formats = $0 },
        Setting(
            "responsive-sizes",
            .text(
                "sizes",
                "the value of a sizes attribute, such as '(min-width: 900px) 700px, 100vw'",
                convert: { ImageSizes($0) }), decides: .reading, option: .long, default: "100vw",
            help: """
                The width of images on the page, for their sizes attribute, where no attribute tells \
                it. No image is taken to be wider than itself.
                """
        ) { $1.reading.responsive.sizes = $0 },
        Setting(
            "responsive-lazy", .flag, decides: .reading, option: .long, default: "true",
            help: """
                With --responsive, add loading="lazy" and decoding="async" to images that do not say \
                how they load, except the first two of a page.
                """
        ) { $1.reading.responsive.loadsLazily = $0 },
        Setting(
            "placeholder", .word(), decides: .reading, option: .long, default: "none",
            help: """
                What HTML pages show while an image loads: none, color (its dominant colour) or blur \
                (a picture of at most 400 bytes). An image that is transparent, has a style of its \
                own, or may not cover its box gets none.
                """
        ) { $1.reading.responsive.placeholder = $0 },
    ]

    /// What the transformation of images may use.
    static let resources: [Setting<Settings>] = [
        Setting(
            "max-pixels", .integer(1...1_000_000_000, "number"), decides: .policy, option: .long,
            default: "100000000",
            help: """
                Refuse images that have more pixels. For an animation, the pixels of one frame count.
                """
        ) { $1.limits.pixels = $0 },
        Setting(
            "jobs", .integer(1...256), decides: .run, option: .short("j"),
            without: "one per processor",
            sample: "4", help: "How many images to transform at the same time."
        ) { $1.workerCount = $0 },
        Setting(
            "memory", .size, decides: .run, option: .long,
            without: "half of the machine's or container's memory",
            sample: "2GB",
            help: """
                The memory for all images that are transformed at the same time. An image that needs \
                more is transformed alone.
                """
        ) { $1.memoryBudget = $0 },
        Setting(
            "image-timeout", .timeout, decides: .policy, option: .long, default: "20s",
            help: """
                The longest processor time for transforming one image. Waiting for a processor does \
                not count; by the clock, an image may take ten times as long.
                """
        ) { $1.limits.seconds = $0 / .seconds(1) },
        Setting(
            "allow-weak-sandbox", .flag, decides: .policy, option: .long, default: "false",
            help: """
                Decode images even if the system does not support the whole sandbox.
                """
        ) { $1.allowsWeakSandbox = $0 },
    ]

    /// The settings of failures and their reports.
    static let reporting: [Setting<Settings>] = [
        Setting(
            "on-error", .word(among: [.fail, .warn, .placeholder]), decides: .run, option: .long,
            default: "fail",
            help: """
                Action for an image that cannot be fetched or decoded: fail (exit code 1, after \
                everything else is done), warn (exit code 0) or placeholder (exit code 0, and a \
                drawing with the text of the image instead; needs '-o').
                """
        ) { $1.failures.usual = $0 },
        baseline,
    ]

    static let baseline = Setting<Settings>(
        "baseline", .path("file"), decides: .run, option: .long, sample: "imgbake-baseline.json",
        help: """
            A file with known failures: they are warnings, new ones are errors, and those that are \
            fixed are told. --update-baseline writes it.
            """
    ) { $1.baseline = $0 }
}
