internal import Crypto
internal import FoundationEssentials
import Glibc

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
        if FileSystem.isFolder(layout.partial) { mayHaveAny.set() }
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
        guard let digest = BlobDigest(bytes: partial.hasher.finalize()) else { return }
        let record = Record(
            key: key, source: partial.source, mediaType: partial.mediaType.rawValue,
            isImage: partial.isImage, byteCount: partial.byteCount, digest: digest.hex)
        let paths = paths(key)
        do {
            mayHaveAny.set()
            try FileSystem.makeFolder(layout.partial)
            FileSystem.remove(paths.record)
            try FileSystem.rename(partial.path, to: paths.body)
            let text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
            let draft = try temporary.newPath()
            try FileSystem.write(text, toNew: draft)
            try FileSystem.rename(draft, to: paths.record)
        } catch {
            FileSystem.remove(partial.path)
            FileSystem.remove(paths.body)
        }
    }

    /// Removes and returns the stored part of a key; nil if there is none or if it is damaged.
    func take(for key: String) -> PartialBody? {
        guard mayHaveAny.isSet else { return nil }
        let paths = paths(key)
        guard let bytes = try? FileSystem.bytes(of: paths.record) else { return nil }
        FileSystem.remove(paths.record)
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(bytes)),
            record.key == key, let path = try? temporary.newPath(),
            Glibc.rename(paths.body, path) == 0
        else {
            FileSystem.remove(paths.body)
            return nil
        }
        guard let (hasher, byteCount) = try? BlobStore.hash(fileAt: path),
            byteCount == record.byteCount,
            BlobDigest(bytes: hasher.finalize())?.hex == record.digest
        else {
            FileSystem.remove(path)
            return nil
        }
        return PartialBody(
            path: path, byteCount: byteCount, hasher: hasher,
            mediaType: MediaType(rawValue: record.mediaType), isImage: record.isImage,
            source: record.source)
    }

    /// Removes all parts that were stored before a given time.
    ///
    /// - Returns: The number of removed bytes.
    func removeAll(before cutoff: Timestamp) -> Int {
        var byteCount = 0
        for name in FileSystem.names(in: layout.partial) {
            let path = "\(layout.partial)/\(name)"
            guard let time = FileSystem.modificationTime(of: path), time < cutoff else { continue }
            let size = FileSystem.size(of: path) ?? 0
            if unlink(path) == 0 { byteCount += size }
        }
        return byteCount
    }
}
