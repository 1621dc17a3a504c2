import Locks

/// The blobs that were found damaged in folders that are only read.
///
/// They cannot be replaced there. For the rest of the run they count as missing in all such folders,
/// so they are fetched or made again.
final class DamagedBlobs: Sendable {
    private struct State {
        var digests: Set<BlobDigest> = []
        var folders: Set<String> = []
    }

    /// The most blobs that are remembered; if there are more, no blob of such a folder is used.
    private static let most = 65_536

    private let state = Locked(State())

    /// Remembers a blob, and the folder of the ``ReadOnlyLevel`` that has it; nil for another level.
    func note(_ digest: BlobDigest, in folder: String?) {
        state.withLock { state in
            if state.digests.count < Self.most { state.digests.insert(digest) }
            if let folder { state.folders.insert(folder) }
        }
    }

    /// Whether a blob must not be used.
    func contains(_ digest: BlobDigest) -> Bool {
        state.withLock { $0.digests.count >= Self.most || $0.digests.contains(digest) }
    }

    /// The paths of the folders, sorted.
    var folders: [String] { state.withLock { $0.folders.sorted() } }
}

extension Levels {
    /// Remembers that a blob of a lower level is damaged.
    func noteDamaged(_ digest: BlobDigest, at path: String) {
        let layout = readOnly.map(\.blobs.layout).first { $0.blob(digest) == path }
        damaged.note(digest, in: layout?.root)
    }
}
