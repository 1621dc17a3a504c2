/// The folder that is baked.
struct Site: Sendable {
    /// Its absolute path, without links.
    var root: String
    /// How the user named it, so that messages name documents the same way.
    var displayRoot: String
    var isInPlace: Bool
    /// Which of its images are meant.
    var reading: ReadingOptions

    /// The absolute path of a file, given relative to the site.
    func path(_ relative: String) -> String { root + "/" + relative }

    /// The path under which the user knows a file.
    func name(_ relative: String) -> String {
        if displayRoot == "." || displayRoot == "./" { return relative }
        return displayRoot.hasSuffix("/") ? displayRoot + relative : displayRoot + "/" + relative
    }
}
