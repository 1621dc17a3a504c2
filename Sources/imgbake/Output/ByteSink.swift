import Files
import SystemPackage

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
    /// - Throws: ``FileFault``.
    init(path: String) throws(FileFault) {
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
    /// - Throws: ``FileFault``.
    func write(_ text: String) throws(FileFault) {
        try write(bytes: text.utf8)
    }

    /// Writes the contents of a file.
    ///
    /// - Throws: ``FileFault``.
    func copy(_ source: String) throws(FileFault) {
        var pieces = try FilePieces(source)
        while let bytes = try pieces.next() { try write(bytes: bytes) }
    }

    /// Moves the file to its path.
    ///
    /// - Throws: ``FileFault``.
    consuming func finish() throws(FileFault) {
        switch consume target {
        case .standardOutput: break
        case .file(let file): try file.commit()
        case .stream(var file): try file.close()
        }
    }

    private func write(bytes: some Sequence<UInt8>) throws(FileFault) {
        switch target {
        case .file(let file): try file.write(bytes)
        case .stream(let file): try file.write(bytes)
        case .standardOutput:
            do {
                try FileDescriptor.standardOutput.writeAll(bytes)
            } catch Errno.brokenPipe {
                // The reader has closed the pipe, which is not an error.
            } catch {
                throw FileFault("write to", "standard output", code: error as? Errno ?? .ioError)
            }
        }
    }
}
