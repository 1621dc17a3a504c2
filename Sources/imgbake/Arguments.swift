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

    @Option(
        help: ArgumentHelp(
            "Where images go, relative to the root of the output.", valueName: "folder"))
    var imageDir = "_images"

    @Flag(help: "Change nothing and request nothing; list what would be done.")
    var dryRun = false

    func check() throws {
        if output == "" { throw ValidationError("'--output' is an empty name.") }
        let parts = imageDir.split(separator: "/", omittingEmptySubsequences: true)
        if imageDir.hasPrefix("/") || parts.isEmpty || parts.contains("..") || parts.contains(".") {
            throw ValidationError(
                "'--image-dir \(imageDir)' must name a folder below the root of the output.")
        }
    }
}

/// What images become.
struct ImageArguments: ParsableArguments {
    @Option(
        help: """
            auto (WebP where that is smaller than the source), webp, avif, jpeg, png, or keep (the \
            source's own format).
            """)
    var format = FormatChoice.auto

    @Option(
        help: ArgumentHelp(
            "From 1 to 100. (default: WebP and JPEG 80, AVIF 55)", valueName: "number"))
    var quality: Int?

    @Option(
        help: ArgumentHelp(
            "Scale images down to this width; none is scaled up.", valueName: "pixels"))
    var maxWidth = 1600

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "How many images to transform at once. (default: one a processor)",
            valueName: "number"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "The longest time to spend on transforming one image.", valueName: "seconds"))
    var imageTimeout = 20.0

    func check() throws {
        if let quality, !(1...100).contains(quality) {
            throw ValidationError("'--quality \(quality)' must be from 1 to 100.")
        }
        guard (1...65_535).contains(maxWidth) else {
            throw ValidationError("'--max-width \(maxWidth)' must be from 1 to 65535.")
        }
        if let jobs, !(1...256).contains(jobs) {
            throw ValidationError("'--jobs \(jobs)' must be from 1 to 256.")
        }
        try checkSeconds(imageTimeout, of: "--image-timeout")
    }
}

/// How images are fetched.
struct FetchArguments: ParsableArguments {
    @Flag(help: "Ask the servers about every image, fresh in the cache or not.")
    var refresh = false

    @Flag(help: "Make no request at all; use what is in the cache.")
    var offline = false

    @Flag(help: "Allow private, loopback and link-local addresses.")
    var allowPrivateNetwork = false

    @Option(
        help: ArgumentHelp(
            "Where the cache is. (default: $IMGBAKE_CACHE_DIR, else $XDG_CACHE_HOME/imgbake)",
            valueName: "folder"),
        completion: .directory)
    var cacheDir: String?

    @Option(
        help: ArgumentHelp("The longest time to wait for a connection.", valueName: "seconds"))
    var connectTimeout = 5.0

    @Option(
        help: ArgumentHelp("The longest time to wait for the next byte.", valueName: "seconds"))
    var stallTimeout = 15.0

    @Option(help: ArgumentHelp("The largest image to download.", valueName: "bytes"))
    var maxBytes = 50_000_000

    @Option(
        help: ArgumentHelp(
            "What servers are told about who asks. (default: imgbake and its version)",
            valueName: "text"))
    var userAgent: String?

    func check() throws {
        if refresh && offline {
            throw ValidationError(
                "'--refresh' asks the servers and '--offline' must not: give one.")
        }
        if cacheDir == "" { throw ValidationError("'--cache-dir' is an empty name.") }
        if maxBytes < 1 { throw ValidationError("'--max-bytes \(maxBytes)' must be at least 1.") }
        if let userAgent, userAgent.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw ValidationError("'--user-agent' must not hold control characters.")
        }
        try checkSeconds(connectTimeout, of: "--connect-timeout")
        try checkSeconds(stallTimeout, of: "--stall-timeout")
    }
}

/// What is said.
struct ReportArguments: ParsableArguments {
    /// What an image that cannot be baked comes to.
    enum ErrorPolicy: String, CaseIterable, ExpressibleByArgument {
        case fail, warn
    }

    @Option(
        help: ArgumentHelp(
            """
            What an image that cannot be baked comes to: fail (exit code 1, after all else is \
            baked) or warn (exit code 0).
            """, valueName: "policy"))
    var onError = ErrorPolicy.fail

    @Flag(help: "Write the totals as one JSON object to standard output.")
    var json = false

    @Flag(name: [.short, .long], help: "Say nothing but errors.")
    var quiet = false

    @Flag(name: [.short, .long], help: "Say what is requested and what is answered.")
    var verbose = false

    func check() throws {
        if quiet && verbose { throw ValidationError("Give one of '--quiet' and '--verbose'.") }
    }
}

extension FormatChoice: ExpressibleByArgument {}

private func checkSeconds(_ seconds: Double, of option: String) throws {
    guard seconds > 0, seconds <= 86_400 else {
        throw ValidationError("'\(option) \(seconds)' must be over 0 and at most 86400.")
    }
}
