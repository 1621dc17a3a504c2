internal import SystemPackage

/// Reads a file.
///
/// - Parameters:
///   - path: The path of a file.
///   - limit: The maximum size in bytes; 512 MiB, more than any document has, by default.
///   - ofAnyKind: Whether the path may also be a symbolic link, a pipe or a device.
/// - Returns: The bytes, and the status from just before they were read.
/// - Throws: ``FileError``; with the code `EFBIG` if the file is larger than the limit.
package func readFile(
    _ path: String, limit: Int = 512 << 20, ofAnyKind: Bool = false
) throws(FileError) -> (bytes: [UInt8], status: FileStatus) {
    let file = try OpenFile(reading: path, ofAnyKind: ofAnyKind)
    let status = try file.status()
    return (try file.readAll(status, limit: limit), status)
}

/// Whether two regular files have the same bytes; no link is followed.
///
/// - Throws: ``FileError``.
package func haveSameBytes(_ first: String, _ second: String) throws(FileError) -> Bool {
    let one = try OpenFile(reading: first)
    let other = try OpenFile(reading: second)
    while true {
        let piece = try one.read(atMost: 1 << 17)
        guard try other.read(atMost: 1 << 17) == piece else { return false }
        if piece.isEmpty { return true }
    }
}

/// The text of a symbolic link.
///
/// - Throws: ``FileError``; with the code `EILSEQ` if it is not UTF-8.
package func readLink(_ path: String) throws(FileError) -> String {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink(path, &target, target.count)
    guard count >= 0 else { throw FileError("read the link", path) }
    guard let text = String(validating: target[..<count], as: UTF8.self) else {
        throw FileError("read the link", path, code: .illegalByteSequence)
    }
    return text
}

/// Reads standard input to its end.
///
/// - Throws: ``FileError``; with the code `EFBIG` if it is larger than 512 MiB.
package func readStandardInput() throws(FileError) -> [UInt8] {
    let file = try OpenFile(copyOf: .standardInput, reportedAs: "standard input")
    return try file.readAll(try file.status(), limit: 512 << 20)
}

extension OpenFile {
    fileprivate func readAll(_ status: FileStatus, limit: Int) throws(FileError) -> [UInt8] {
        if status.byteCount > limit { throw error("read", .fileTooLarge) }
        if status.byteCount > 0 { return try read(atMost: status.byteCount) }
        // A pipe and a file of `/proc` have a size of 0 and nevertheless content.
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let piece = try read(atMost: min(limit + 1 - bytes.count, 1 << 16))
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        throw error("read", .fileTooLarge)
    }
}

/// The bytes of a file to its end, piece by piece.
package struct FilePieces: ~Copyable {
    private let file: OpenFile
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)

    /// Opens a regular file at its beginning; no link is followed.
    package init(_ path: String) throws(FileError) {
        file = try OpenFile(reading: path)
    }

    /// The bytes of an open file that were not read yet.
    init(of file: consuming OpenFile) {
        self.file = file
    }

    deinit { buffer.deallocate() }

    /// The next bytes, which are valid until the next call; nil at the end.
    package mutating func next() throws(FileError) -> UnsafeRawBufferPointer? {
        let count = try file.read(into: buffer)
        return count > 0 ? UnsafeRawBufferPointer(rebasing: buffer[..<count]) : nil
    }
}
