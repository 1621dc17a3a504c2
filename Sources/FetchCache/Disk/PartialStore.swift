internal import Crypto
internal import FoundationEssentials
import Glibc

/// Keeps the first parts of downloads that were cut, from one process to the next.
///
/// Whoever uses it for a key holds the lock of that key.
final class PartialStore: Sendable {
    let layout: CacheLayout
    let temporary: TemporaryFolder
    /// Whether any was ever kept, as far as this process knows: mostly none was, and then nothing is
    /// looked for.
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

    /// Keeps a part; one that cannot be kept is dropped.
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

    /// Takes out what was kept for a key; nil if nothing was, or if it is damaged.
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

    /// Removes what was kept before a time.
    ///
    /// - Returns: The bytes that it had.
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
