import Baking
import Glibc

/// A failure while the command was working: exit code 1.
struct CommandFailure: Error, CustomStringConvertible {
    /// The problem and its file or URL, without a period.
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The failure of the last POSIX call.
    static func posix(_ operation: String, _ path: String) -> CommandFailure {
        CommandFailure("could not \(operation) \(path): \(String(cString: strerror(errno)))")
    }
}

/// A destination of bytes: standard output, or a file that becomes visible when it is complete.
final class ByteSink {
    private let descriptor: Int32
    private let path: String?
    /// Nil if no file is renamed.
    private let temporary: String?
    private var isOpen = true

    /// Standard output.
    init() {
        descriptor = STDOUT_FILENO
        path = nil
        temporary = nil
    }

    /// A file, which replaces an existing one.
    ///
    /// If the path is not a regular file, such as a pipe, the bytes are written to it directly.
    ///
    /// - Throws: ``CommandFailure``.
    init(path: String) throws {
        let path = resolvedPath(path) ?? path
        var info = stat()
        let isPlain = stat(path, &info) != 0 || info.st_mode & S_IFMT == S_IFREG
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        temporary =
            isPlain ? path[..<slash] + ".imgbake-\(getpid())-\(UInt64.random(in: 0 ... .max))" : nil
        self.path = path
        descriptor =
            if let temporary {
                open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            } else {
                open(path, O_WRONLY | O_CLOEXEC)
            }
        if descriptor < 0 { throw CommandFailure.posix("write", path) }
    }

    deinit {
        guard path != nil, isOpen else { return }
        close(descriptor)
        if let temporary { unlink(temporary) }
    }

    /// Writes some text.
    ///
    /// - Throws: ``CommandFailure``.
    func write(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try write($0) }
    }

    /// Writes the contents of a file.
    ///
    /// - Throws: ``CommandFailure``.
    func copy(_ source: String) throws {
        let file = open(source, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw CommandFailure.posix("read", source) }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandFailure.posix("read", source) }
            if count == 0 { return }
            try buffer.withUnsafeBytes { try write(.init(rebasing: $0[..<count])) }
        }
    }

    /// Moves the file to its path.
    ///
    /// - Throws: ``CommandFailure``.
    func finish() throws {
        guard let path else { return }
        isOpen = false
        guard close(descriptor) == 0, temporary.map({ rename($0, path) == 0 }) ?? true else {
            let failure = CommandFailure.posix("write", path)
            if let temporary { unlink(temporary) }
            throw failure
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let wrote = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if wrote > 0 {
                rest = .init(rebasing: rest[wrote...])
            } else if errno == EPIPE, path == nil {
                // The reader has closed the pipe, which is not an error.
                return
            } else if errno != EINTR {
                throw CommandFailure.posix("write", path ?? "to standard output")
            }
        }
    }
}
