internal import SystemPackage

/// A file without a name, which exists as long as this object does.
///
/// The kernel frees it when its last descriptor is closed, however the process ends.
///
/// Memory would limit its size, and a file with a name would stay after a kill. It has a path below
/// `/proc/self/fd`, so all code that takes paths works with it.
package final class HeldFile: Sendable, Hashable {
    /// A path of the file that only this process can use.
    ///
    /// It must not be used after this object is released: the number may then be another file's.
    package let path: String
    private let file: OpenFile

    /// Makes an empty file, which only this process can read and write.
    ///
    /// - Parameter folder: A folder of the file system that is to hold the bytes.
    /// - Throws: ``FileError``.
    package convenience init(in folder: String) throws(FileError) {
        let path = temporaryNeighbour(of: folder + "/x")
        let file = try OpenFile(creating: path, mode: 0o600, reportedAs: folder)
        removeFile(path)
        try self.init(file, folder)
    }

    /// Keeps a file, even if its name is removed later.
    ///
    /// - Parameter path: The path of a regular file.
    /// - Throws: ``FileError``.
    package convenience init(keeping path: String) throws(FileError) {
        try self.init(OpenFile(reading: path), path)
    }

    private init(_ file: consuming OpenFile, _ name: String) throws(FileError) {
        path = openFilesFolder + "\(file.descriptor)"
        self.file = file
        // Without /proc, the file could not be opened again.
        guard FileStatus(path) != nil else {
            throw FileError("open", name, code: .noSuchFileOrDirectory)
        }
    }

    /// Whether a path is that of such a file; it is a link that leads to the file.
    static func isPath(_ path: String) -> Bool { path.utf8.starts(with: openFilesFolder.utf8) }

    package static func == (left: HeldFile, right: HeldFile) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
