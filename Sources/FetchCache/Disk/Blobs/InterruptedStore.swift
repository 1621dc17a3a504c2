internal import Crypto
internal import Files
internal import FoundationEssentials

/// Stores the first parts of incomplete downloads, also for later processes.
///
/// Callers need no lock: a part is taken by a rename, which only one of them can do, and a record
/// that was written for another body does not have its digest.
final class InterruptedStore: Sendable {
    private let temporary: TemporaryFolder
    private let folder: @Sendable () throws(FetchError) -> String
    /// Whether a part may be stored.
    ///
    /// It is usually false, and then nothing is looked up.
    let mayHaveAny = Flag()

    /// Keeps parts in the folder of a cache, for later processes too.
    init(layout: CacheLayout, temporary: TemporaryFolder) {
        self.temporary = temporary
        folder = { layout.partial }
        if isFolder(layout.partial) { mayHaveAny.set() }
    }

    /// Keeps parts until a temporary folder is released.
    init(in temporary: TemporaryFolder) {
        self.temporary = temporary
        folder = { () throws(FetchError) in try temporary.folder() }
    }

    private struct Record: Codable {
        var key: String
        var source: PartialBody.Source
        var mediaType: String
        var isImage: Bool
        var byteCount: Int
        var digest: String
    }

    private func paths(_ key: String) throws(FetchError) -> (body: String, record: String) {
        let name = "\(try folder())/\(key.sha256.prefix(32))"
        return ("\(name).body", "\(name).json")
    }

    /// Stores a part; a part that cannot be stored is dropped.
    func save(_ partial: PartialBody, for key: String) {
        let digest = BlobDigest(partial.hasher.finalize())
        let record = Record(
            key: key, source: partial.source, mediaType: partial.mediaType.rawValue,
            isImage: partial.isImage, byteCount: partial.byteCount, digest: digest.hex)
        guard let folder = try? folder(), let paths = try? paths(key) else {
            removeFile(partial.path)
            return
        }
        do {
            mayHaveAny.set()
            try makePrivateFolder(folder)
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
        guard mayHaveAny.isSet, let paths = try? paths(key) else { return nil }
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
        guard let folder = try? folder() else { return byteCount }
        for name in namesInFolder(folder) {
            let path = "\(folder)/\(name)"
            guard let status = FileStatus(path), Timestamp(status.modified) < cutoff else {
                continue
            }
            if removeFile(path), status.kind == .file { byteCount += status.byteCount }
        }
        return byteCount
    }
}
