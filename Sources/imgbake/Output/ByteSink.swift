import Files

/// A destination of bytes: standard output, or a file that becomes visible when it is complete.
struct ByteSink: ~Copyable {
    private enum Target: ~Copyable {
        case standardOutput
        case file(AtomicFile)
        /// A pipe or a device.
        case stream(OpenFile)
    }

    private let target: Target

    /// Standard output.
    init() {
        target = .standardOutput
    }

    /// A file, which replaces an existing one.
    ///
    /// If the path is not a regular file, such as a pipe, the bytes are written to it directly.
    ///
    /// - Throws: ``FileError``.
    init(path: String) throws(FileError) {
        let path = resolvedPath(path) ?? path
        let kind = FileStatus(path, followingLinks: true)?.kind ?? .file
        if kind == .file {
            target = .file(try AtomicFile(path))
        } else {
            target = .stream(try OpenFile(appendingTo: path))
        }
    }

    /// Writes some text.
    ///
    /// - Throws: ``FileError``.
    func write(_ text: String) throws(FileError) {
        try write(bytes: text.utf8)
    }

    /// Writes the contents of a file.
    ///
    /// - Throws: ``FileError``.
    func copy(_ source: String) throws(FileError) {
        var pieces = try FilePieces(source)
        while let bytes = try pieces.next() { try write(bytes: bytes) }
    }

    /// Moves the file to its path.
    ///
    /// - Throws: ``FileError``.
    consuming func finish() throws(FileError) {
        switch consume target {
        case .standardOutput: break
        case .file(let file): try file.commit()
        case .stream(var file): try file.close()
        }
    }

    private func write(bytes: some Sequence<UInt8>) throws(FileError) {
        switch target {
        case .file(let file): try file.write(bytes)
        case .stream(let file): try file.write(bytes)
        case .standardOutput: Console.output.write(bytes: Array(bytes))
        }
    }
}
