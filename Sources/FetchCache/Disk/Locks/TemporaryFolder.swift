internal import Files
import Locks

/// The temporary folder of one cache object.
///
/// Other processes remove it after its process has died.
///
/// A lock beside the folder shows whether its process is alive. The system releases the lock when
/// the process ends in any way. It also works between containers that share the cache, where
/// process numbers have no meaning.
final class TemporaryFolder: Sendable {
    private struct Claim: ~Copyable {
        let folder: String
        let lock: OpenFile
    }

    private let parent: String
    private let claim = Locked<Claim?>(nil)

    init(in parent: String) {
        self.parent = parent
    }

    deinit { release() }

    /// Returns the path of a new file.
    ///
    /// The folder is created on first use, and again if it was removed.
    func newPath() throws(FetchError) -> String {
        let folder = try folder()
        return "\(folder)/\(uniqueNumber())"
    }

    /// A new file without a name.
    func newHeldFile() throws(FetchError) -> HeldFile {
        let folder = try folder()
        return try FetchError.ofFiles { try HeldFile(in: folder) }
    }

    /// A writer of a new file, which has no name if its bytes must not be stored.
    func newWriter(isNoStore: Bool) throws(FetchError) -> BlobWriter {
        if isNoStore { return try BlobWriter(to: newHeldFile()) }
        return try BlobWriter(path: newPath())
    }

    /// Removes the folder and its contents.
    func release() {
        claim.withLock { claim in
            guard let folder = claim?.folder else { return }
            removeFolder(folder)
            removeFile("\(folder).lock")
            claim = nil
        }
    }

    /// The path of the folder, which is created on first use, and again if it was removed.
    func folder() throws(FetchError) -> String {
        try claim.withLock { (claim: inout Claim?) throws(FetchError) -> String in
            if let folder = claim?.folder {
                if isFolder(folder) { return folder }
                removeFile("\(folder).lock")
                claim = nil
            }
            let held = try FetchError.ofFiles { try Self.claimFolder(in: parent) }
            let folder = held.folder
            claim = consume held
            return folder
        }
    }

    private static func claimFolder(in parent: String) throws -> Claim {
        try makePrivateFolder(parent)
        for _ in 0..<100 {
            let folder = "\(parent)/\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
            let lock = try OpenFile(
                creating: "\(folder).lock", mode: CacheLayout.fileMode)
            // Another process may have removed the new file between the two calls, because it was
            // not locked yet.
            guard lock.lock(waiting: false), try lock.status().linkCount > 0 else { continue }
            do throws(FileError) {
                try makePrivateFolder(folder)
                return Claim(folder: folder, lock: lock)
            } catch {
                removeFile("\(folder).lock")
                throw error
            }
        }
        throw FetchError(.storage, parent, "cannot make a temporary folder")
    }

    /// Removes the folders of dead processes.
    static func sweep(_ parent: String) {
        for name in namesInFolder(parent) where name.hasSuffix(".lock") {
            let path = "\(parent)/\(name)"
            // Opened for writing, which locks need on a network file system.
            guard FileStatus(path)?.kind == .file,
                let lock = try? OpenFile(appendingTo: path), lock.lock(waiting: false)
            else {
                continue
            }
            removeFolder("\(parent)/\(name.dropLast(5))")
            removeFile(path)
        }
    }
}
