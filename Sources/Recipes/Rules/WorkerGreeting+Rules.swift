import ImageFormats

extension WorkerGreeting {
    /// The longest name of encoders, in bytes.
    private static let longestName = 4_096

    /// Checks a handshake.
    package func check() throws(BrokenRule) {
        try Self.check(encoder: encoder, libraries: libraries)
        try sandbox.check()
        let names = Set(ImageFormat.all.map(\.rawValue))
        for list in [formats?.reads, formats?.writes].compactMap(\.self) {
            try require(
                list.count <= names.count && names.isSuperset(of: list), "a format is not known")
        }
    }

    /// Checks the names of encoders and the paths of their libraries.
    package static func check(encoder: String, libraries: [String]) throws(BrokenRule) {
        try require(
            !encoder.isEmpty && ForeignText.isTidy(encoder, longest: longestName),
            "the name of the encoders is not allowed")
        try require(libraries.count <= 256, "there are too many libraries")
        for path in libraries {
            try require(
                path.hasPrefix("/") && ForeignText.isTidy(path, longest: longestName),
                "the path of a library is not allowed")
        }
    }
}

extension SandboxReport {
    fileprivate func check() throws(BrokenRule) {
        try require(gaps.count <= Protection.allCases.count, "there are too many gaps")
        for gap in gaps {
            try require(ForeignText.isTidy(gap.reason), "the reason of a gap is not allowed")
        }
        try require(
            landlockVersion.map { (1...1_000).contains($0) } ?? true,
            "the version of Landlock is not possible")
    }
}
