import Synchronization

/// The folder that baked images go to, with a file in it that marks it as imgbake's own.
///
/// A folder with the mark holds no documents and no images of the site: a later bake leaves it alone,
/// even one that puts its own images elsewhere.
final class ImageFolder: Sendable {
    /// The name of the file that marks a folder; hidden, so that generators do not publish it.
    static let markName = ".imgbake"

    private static let mark = """
        imgbake keeps images in this folder, each named by its content.
        They can be made again at any time. imgbake looks for no documents here.

        """

    /// Relative to the root of the output.
    private let path: String
    private let output: OutputFolder
    private let isMarked = Mutex(false)

    init(_ path: String, in output: OutputFolder) {
        self.path = path
        self.output = output
    }

    /// Whether an image of this name and size is there.
    func has(_ name: String, byteCount: Int) -> Bool {
        output.has(path + "/" + name, byteCount: byteCount)
    }

    /// Puts a copy of the blob at `source` in its place.
    func place(_ source: String, as name: String) throws(FileFault) {
        try markOnce()
        try output.place(source, at: path + "/" + name)
    }

    /// Marks the folder, unless it holds something that imgbake did not put there.
    private func markOnce() throws(FileFault) {
        let wasMarked = isMarked.withLock { isMarked in
            defer { isMarked = true }
            return isMarked
        }
        if wasMarked || Self.isMarked(output.path(path)) { return }
        guard output.files(in: path).allSatisfy(Self.isNameOfImage) else { return }
        try output.write(Array(Self.mark.utf8), to: path + "/" + Self.markName, mode: 0o644)
    }

    /// Whether the folder at an absolute path is marked.
    static func isMarked(_ folder: String) -> Bool {
        FileStatus(folder + "/" + markName)?.kind == .file
    }

    /// Whether it is `NAME-HASH.EXT`, with a hash of 16 hex digits, or the name of a file that is being
    /// written.
    private static func isNameOfImage(_ name: String) -> Bool {
        if isTemporaryName(name) { return true }
        let stem = name.utf8.prefix { $0 != UInt8(ascii: ".") }
        let hash = stem.suffix(16)
        let isHash = hash.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        }
        return isHash && hash.count == 16 && stem.dropLast(16).last == UInt8(ascii: "-")
    }
}
