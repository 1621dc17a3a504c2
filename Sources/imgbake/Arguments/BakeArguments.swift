import ArgumentParser
import Baking

/// Where results go.
struct OutputArguments: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Write a complete copy of the site here and leave the input alone.",
            valueName: "folder"),
        completion: .directory)
    var output: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            In place, write documents to disk before they replace the old ones, so that a power \
            failure costs none. (default: yes)
            """)
    var sync: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: """
            With '-o', copy all hidden files, and not only .well-known, .nojekyll, .htaccess and the \
            like. (default: no)
            """)
    var copyHidden: Bool?

    @Flag(help: "Change nothing and request nothing; list what would be done.")
    var dryRun = false

    func validate() throws {
        if output == "" { throw ValidationError("'--output' is an empty name.") }
    }
}

/// What images become.
struct ImageArguments: ParsableArguments {
    @Option(
        help: """
            auto (WebP where that is smaller than the source), webp, avif, jpeg, png, or keep (the \
            source's own format). (default: auto)
            """)
    var format: FormatChoice?

    @Option(
        help: ArgumentHelp(
            "From 1 to 100. (default: WebP and JPEG 80, AVIF 55)", valueName: "number"))
    var quality: Int?

    @Option(
        help: ArgumentHelp(
            """
            Scale wider images down to this width, or none of them with 'none'; no image is scaled \
            up. (default: 1600)
            """, valueName: "pixels"))
    var maxWidth: MaximumWidth?

    @Option(
        help: ArgumentHelp(
            """
            Refuse images of more pixels; of an animation the pixels of one frame count. (default: \
            100000000)
            """, valueName: "number"))
    var maxPixels: Int?

    @Option(
        help: """
            sanitise (take scripts and references to other files out of SVGs), refuse (bake no SVG \
            that has them), or rasterise (draw SVGs as WebP or PNG). (default: sanitise)
            """)
    var svg: SVGChoice?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Add width and height to each <img> that has neither, so that pages do not jump while they \
            load; needs 'img { height: auto }' where the CSS limits the width. (default: no)
            """)
    var dimensions: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Bake the site's own images too; the originals are left. (default: no)")
    var local: Bool?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "How many images to transform at once. (default: one a processor)",
            valueName: "number"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "The longest time to spend on transforming one image. (default: 20s)",
            valueName: "time"))
    var imageTimeout: TimeSpan?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Decode images even where the system does not let the sandbox of the decoders be closed. \
            (default: no)
            """)
    var allowWeakSandbox: Bool?

    func validate() throws {
        try check(quality, in: Bounds.quality, "--quality")
        if case .pixels(let width) = maxWidth {
            try check(width, in: Bounds.width, "--max-width")
        }
        try check(maxPixels, in: Bounds.pixels, "--max-pixels")
        try check(jobs, in: Bounds.jobs, "--jobs")
        try check(imageTimeout, in: Bounds.timeout, "--image-timeout")
    }
}

extension FormatChoice: ExpressibleByArgument {}
extension SVGChoice: ExpressibleByArgument {}

/// The width that images are scaled down to.
enum MaximumWidth: ExpressibleByArgument {
    case pixels(Int)
    /// No image is scaled.
    case none

    init?(argument: String) {
        if argument.lowercased() == "none" {
            self = .none
        } else if let pixels = Int(argument) {
            self = .pixels(pixels)
        } else {
            return nil
        }
    }

    /// Nil for no limit.
    var pixels: Int? { if case .pixels(let pixels) = self { pixels } else { nil } }
}
