import Documents
import FetchCache
import Synchronization

/// A new version of a document, written beside the old one and not yet in its place.
final class StagedDocument: Sendable {
    /// Relative to the site.
    let path: String
    let kind: DocumentKind
    /// The absolute path of the document that it was made from.
    private let source: String
    /// What the document's status was when it was read.
    private let status: FileStatus
    private let file: Mutex<AtomicFile?>

    init(
        _ file: consuming AtomicFile, path: String, kind: DocumentKind, source: String,
        status: FileStatus
    ) {
        self.path = path
        self.kind = kind
        self.source = source
        self.status = status
        self.file = Mutex(file)
    }

    /// The file system that it is in.
    fileprivate var device: UInt64 { file.withLock { $0?.device ?? 0 } }

    fileprivate func syncFileSystem() throws(FileFault) {
        try file.withLock { file throws(FileFault) in try file?.syncFileSystem() }
    }

    /// Puts it in the place of the old version.
    ///
    /// - Returns: Whether that was still what it had been; if not, nothing was done.
    fileprivate func commit() throws(FileFault) -> Bool {
        guard FileStatus(source) == status else {
            file.withLock { $0 = nil }
            return false
        }
        let file = file.withLock { $0.take() }
        try file?.commit()
        return true
    }
}

/// Puts new versions of documents in the places of the old ones, many at a time.
///
/// Not every file system orders a rename after the data of the file: after a power failure XFS, for
/// one, may have the new name and no content. In place the old version is the user's only copy, so all
/// new ones are on disk before the first old one goes. One flush of the file system serves them all.
struct DocumentCommit: Sendable {
    /// What came of it.
    struct Result: Sendable {
        /// Documents that changed after they were read, and were left.
        var changed: [StagedDocument] = []
        /// Documents that could not be written, with the reason.
        var failed: [(document: StagedDocument, fault: FileFault)] = []
    }

    /// Each holds an open file, of which a process may have some thousand.
    static let largestBatch = 256

    static func run(_ documents: [StagedDocument]) async -> Result {
        if documents.isEmpty { return Result() }
        return await BlockingPool.shared.run {
            var result = Result()
            var faults: [UInt64: FileFault] = [:]
            var synced: Set<UInt64> = []
            for document in documents where synced.insert(document.device).inserted {
                do throws(FileFault) {
                    try document.syncFileSystem()
                } catch {
                    faults[document.device] = error
                }
            }
            for document in documents {
                do throws(FileFault) {
                    if let fault = faults[document.device] { throw fault }
                    if try !document.commit() { result.changed.append(document) }
                } catch {
                    result.failed.append((document, error))
                }
            }
            return result
        }
    }
}
