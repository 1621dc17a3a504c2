internal import Synchronization

/// A file that is not visible at its path until it is complete.
///
/// It is written under a temporary name in the same folder and then renamed.
package struct AtomicFile: ~Copyable, Sendable {
    private let path: String
    private let temporaryPath: String
    private let file: OpenFile
    private var isCommitted = false

    /// Begins a file that will get the path `path`.
    ///
    /// - Parameters:
    ///   - path: The path of a regular file, which is replaced, or of none.
    ///   - mode: The exact permissions; nil for those that the process gives to new files.
    /// - Throws: ``FileError``.
    package init(_ path: String, mode: mode_t? = nil) throws(FileError) {
        self.path = path
        while true {
            let temporary = temporaryNeighbour(of: path)
            let file = try OpenFile(
                creating: temporary, mode: mode == nil ? 0o666 : 0o600, reportedAs: path)
            // The lock distinguishes the file from one that a killed process left behind. Process
            // numbers cannot, because they repeat, in containers at every start. If a file system
            // has no locks, no file is ever considered abandoned.
            file.lock(waiting: true)
            do throws(FileError) {
                if let mode { try file.setMode(mode) }
                // Another process may have found the file before it was locked, and removed it as
                // abandoned.
                if try file.status().linkCount == 0 { continue }
            } catch {
                unlink(temporary)
                throw error
            }
            temporaryPath = temporary
            self.file = file
            return
        }
    }

    deinit { if !isCommitted { unlink(temporaryPath) } }

    package func write(_ bytes: some Sequence<UInt8>) throws(FileError) { try file.write(bytes) }

    /// Writes the bytes of the regular file at `source`; no link is followed.
    ///
    /// Nothing is copied if the file system can share the bytes between two files.
    package func write(contentsOf source: String) throws(FileError) {
        let input = try OpenFile(reading: source)
        if shareBytes(of: input.descriptor, with: file.descriptor) { return }
        var rest = FilePieces(of: input)
        while let piece = try rest.next() { try write(piece) }
    }

    /// Sets the file's modification time to that of `status`.
    ///
    /// If it cannot be set, the only effect is that the next run copies the file again.
    package func setModified(_ status: FileStatus) {
        touchFile(temporaryPath, modified: status)
    }

    /// The file system of the file.
    package var device: UInt64 { (try? file.status().device) ?? 0 }

    /// Waits until all data written to the file system is on disk.
    package func syncFileSystem() throws(FileError) { try file.syncFileSystem() }

    /// Moves the file to its path and replaces any file there.
    package consuming func commit() throws(FileError) {
        // A network file system reports lost bytes when a descriptor is closed. This one must stay
        // open until the file has its name, because its lock protects the temporary file.
        let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy < 0 || close(copy) == 0, rename(temporaryPath, path) == 0 else {
            throw FileError("write", path)
        }
        isCommitted = true
    }
}

private let temporaryPrefix = ".imgbake-"
private let temporaryToken = UInt32.random(in: .min ... .max)
private let temporarySerial = Atomic<Int>(0)

/// A path in the folder of `path` to which no other process writes.
package func temporaryNeighbour(of path: String) -> String {
    let serial = temporarySerial.add(1, ordering: .relaxed).newValue
    let name = "\(temporaryPrefix)\(String(temporaryToken, radix: 16))-\(serial)"
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return path[...slash] + name
}

/// Whether a name is that of a temporary file.
package func isTemporaryName(_ name: String) -> Bool {
    guard name.hasPrefix(temporaryPrefix) else { return false }
    let parts = name.dropFirst(temporaryPrefix.count).split(
        separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && UInt32(parts[0], radix: 16) != nil && Int(parts[1]) != nil
}

/// Removes the temporary files in a folder that no process is writing.
package func removeAbandonedFiles(in folder: String) {
    for name in namesInFolder(folder) where isTemporaryName(name) {
        let path = folder + "/" + name
        if FileStatus(path)?.kind == .link {
            // A temporary link is renamed immediately after it is made, so one that is found is
            // abandoned.
            unlink(path)
        } else if let file = try? OpenFile(reading: path), file.lock(waiting: false) {
            unlink(path)
        }
    }
}
