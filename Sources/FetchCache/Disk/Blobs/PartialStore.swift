internal import Crypto
internal import Files
internal import FoundationEssentials

/// Stores the first parts of incomplete downloads, also for later processes.
///
/// A caller must hold the lock of a key while it uses the store for that key.
final class PartialStore: Sendable {
    let layout: CacheLayout
    let temporary: TemporaryFolder
    /// Whether a part may be stored.
    ///
    /// It is usually false, and then nothing is looked up.
    let mayHaveAny = Flag()

    init(layout: CacheLayout, temporary: TemporaryFolder) {
        self.layout = layout
        self.temporary = temporary
        if isFolder(layout.partial) { mayHaveAny.set() }
    }

    private struct Record: Codable {
        var key: String
        var source: PartialBody.Source
        var mediaType: String
        var isImage: Bool
        var byteCount: Int
        var digest: String
    }

    private func paths(_ key: String) -> (body: String, record: String) {
        let name = "\(layout.partial)/\(key.sha256.prefix(32))"
        return ("\(name).body", "\(name).json")
    }

    /// Stores a part; a part that cannot be stored is dropped.
    func save(_ partial: PartialBody, for key: String) {
        let digest = BlobDigest(partial.hasher.finalize())
        let record = Record(
            key: key, source: partial.source, mediaType: partial.mediaType.rawValue,
            isImage: partial.isImage, byteCount: partial.byteCount, digest: digest.hex)
        let paths = paths(key)
        do {
            mayHaveAny.set()
            try makePrivateFolder(layout.partial)
            removeFile(paths.record)
            try moveFile(partial.path, to: paths.body)
            let text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
            let draft = try temporary.newPath()
            try writeNewFile(text, to: draft, mode: CacheLayout.fileMode)
            try moveFile(draft, to: paths.record)
        } catch {
            removeFile(partial.path)
            removeFile(paths.body)
        }
    }

    /// Removes and returns the stored part of a key; nil if there is none or if it is damaged.
    func take(for key: String) -> PartialBody? {
        guard mayHaveAny.isSet else { return nil }
        let paths = paths(key)
        guard let bytes = try? readFile(paths.record).bytes else { return nil }
        removeFile(paths.record)
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(bytes)),
            record.key == key, let path = try? temporary.newPath(),
            (try? moveFile(paths.body, to: path)) != nil
        else {
            removeFile(paths.body)
            return nil
        }
        guard let whole = try? HashedPieces.all(path), whole.byteCount == record.byteCount,
            whole.digest.hex == record.digest
        else {
            removeFile(path)
            return nil
        }
        return PartialBody(
            path: path, byteCount: whole.byteCount, hasher: whole.hasher,
            mediaType: MediaType(rawValue: record.mediaType), isImage: record.isImage,
            source: record.source)
    }

    /// Removes all parts that were stored before a given time.
    ///
    /// - Returns: The number of removed bytes.
    func removeAll(before cutoff: Timestamp) -> Int {
        var byteCount = 0
        for name in namesInFolder(layout.partial) {
            let path = "\(layout.partial)/\(name)"
            guard let status = FileStatus(path), Timestamp(status.modified) < cutoff else {
                continue
            }
            if removeFile(path), status.kind == .file { byteCount += status.byteCount }
        }
        return byteCount
    }
}
