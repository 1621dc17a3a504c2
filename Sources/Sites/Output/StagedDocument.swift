package import Documents
import FetchCache
package import Files
import Locks

/// A new version of a document, written to a temporary file beside the old one.
package final class StagedDocument: Sendable {
    /// Relative to the site.
    package let path: String
    package let kind: DocumentKind
    /// The absolute path of the document that it was made from.
    private let source: String
    /// The document's status when it was read.
    private let status: FileStatus
    private let file: Locked<AtomicFile?>

    package init(
        _ file: consuming AtomicFile, path: String, kind: DocumentKind, source: String,
        status: FileStatus
    ) {
        self.path = path
        self.kind = kind
        self.source = source
        self.status = status
        self.file = Locked(file)
    }

    /// The file system of the file.
    fileprivate var device: UInt64 { file.withLock { $0?.device ?? 0 } }

    fileprivate func syncFileSystem() throws(FileError) {
        try file.withLock { file throws(FileError) in try file?.syncFileSystem() }
    }

    /// Replaces the old version.
    ///
    /// - Returns: Whether the old version had not changed since it was read. If it had, nothing is
    ///   done.
    fileprivate func commit() throws(FileError) -> Bool {
        guard FileStatus(source) == status else {
            file.withLock { $0 = nil }
            return false
        }
        let file = file.withLock { $0.take() }
        try file?.commit()
        return true
    }
}

/// Replaces the old versions of many documents by the new ones.
///
/// Not every file system orders a rename after the data of the file: after a power failure XFS, for
/// example, may have the new name without the content. In place, the old version is the user's only
/// copy, so all new versions are on disk before the first old one is replaced. One flush of the
/// file system serves all of them.
package struct DocumentCommit: Sendable {
    /// The documents that were not replaced.
    package struct Result: Sendable {
        /// Documents that changed after they were read; they were left as they are.
        package var changed: [StagedDocument] = []
        /// Documents that could not be written, with the reason.
        package var failed: [(document: StagedDocument, error: FileError)] = []

        package init(failed: [(document: StagedDocument, error: FileError)] = []) {
            self.failed = failed
        }
    }

    /// Each staged document holds an open file, and a process may have only a few thousand.
    package static let largestBatch = 64

    package static func run(_ documents: [StagedDocument]) async -> Result {
        if documents.isEmpty { return Result() }
        return await BlockingPool.shared.run {
            var result = Result()
            var errors: [UInt64: FileError] = [:]
            var synced: Set<UInt64> = []
            for document in documents where synced.insert(document.device).inserted {
                do throws(FileError) {
                    try document.syncFileSystem()
                } catch {
                    errors[document.device] = error
                }
            }
            for document in documents {
                do throws(FileError) {
                    if let error = errors[document.device] { throw error }
                    if try !document.commit() { result.changed.append(document) }
                } catch {
                    result.failed.append((document, error))
                }
            }
            return result
        }
    }
}
