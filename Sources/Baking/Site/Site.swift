/// The input folder.
struct Site: Sendable {
    /// Its absolute path, without links.
    var root: String
    /// The folder's path in the form in which the user gave it, for messages.
    var displayRoot: String
    var isInPlace: Bool
    /// Whether a copy gets links that lead out of the site.
    var copiesLinks = false
    /// The options that select images.
    var reading: ReadingOptions

    /// The absolute path of a file, given relative to the site.
    func path(_ relative: String) -> String { root + "/" + relative }

    /// The path of a file for messages, based on the folder as the user gave it.
    func name(_ relative: String) -> String {
        if displayRoot == "." || displayRoot == "./" { return relative }
        return displayRoot.hasSuffix("/") ? displayRoot + relative : displayRoot + "/" + relative
    }
}
