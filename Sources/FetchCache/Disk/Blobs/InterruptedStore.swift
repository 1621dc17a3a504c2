internal import Crypto
internal import Files
internal import FoundationEssentials
import Locks

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

/// The first part of an incomplete body, with the data that is needed to resume it.
struct PartialBody: Sendable {
    /// The source of the body, which must also provide the rest.
    struct Source: Sendable, Hashable, Codable {
        /// The URL that responded, after redirects.
        var url: String
        /// A strong validator: an entity tag or a date, for If-Range (RFC 9110, section 13.1.5).
        var validator: String
        /// The length of the whole, if announced.
        var totalBytes: Int?
        /// The facts about the connection that the part came from.
        var connection = ConnectionFacts()

        /// The fields of the response that are known: its length and the validator.
        var fields: HeaderFields {
            let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
            let length = totalBytes.map { [("Content-Length", String($0))] } ?? []
            return HeaderFields(length + [(name, validator)])
        }
    }

    var path: String
    var byteCount: Int
    /// The hash of the bytes so far.
    var hasher: SHA256
    var mediaType: MediaType
    /// Whether the first bytes are those of an image.
    var isImage: Bool
    var source: Source
    /// The file, if it has no name because it must not be stored.
    var held: HeldFile?
    var isNoStore: Bool { held != nil }

    /// The minimum number of bytes for which a range request is worthwhile.
    static let fewestBytes = 16_384

    /// The fields that request only the rest, if the whole is unchanged.
    var requestFields: [(name: String, value: String)] {
        [("Range", "bytes=\(byteCount)-"), ("If-Range", source.validator)]
    }

    /// The range of a 206 response, if it is the complete rest of the same whole (RFC 9110, section
    /// 15.3.7.3).
    func rest(in fields: HeaderFields) -> ContentRange? {
        guard let range = ContentRange(fields),
            range.first == byteCount,
            range.total.map({ $0 == range.last + 1 }) ?? true
        else { return nil }
        if let total = source.totalBytes, total != range.last + 1 { return nil }
        let isTag = source.validator.hasPrefix("\"")
        let validator = fields[isTag ? "ETag" : "Last-Modified"]
        return validator == nil || validator == source.validator ? range : nil
    }
}

/// The value of a Content-Range field, such as `bytes 100-199/200`.
struct ContentRange: Sendable, Hashable {
    /// The offset of the first byte.
    ///
    /// `last` is the offset of the last byte.
    var first: Int
    var last: Int
    /// The length of the whole; nil if unknown.
    var total: Int?

    /// Parses the field; nil if it is missing or invalid.
    init?(_ fields: HeaderFields) {
        guard let value = fields["Content-Range"] else { return nil }
        self.init(value)
    }

    /// Parses the value of a field; nil if it is invalid.
    init?(_ value: String) {
        guard value.lowercased().hasPrefix("bytes ") else { return nil }
        let sides = value.dropFirst(6).split(separator: "/")
        let ends = sides.first?.split(separator: "-") ?? []
        guard sides.count == 2, ends.count == 2, let first = FieldList.number(ends[0]),
            let last = FieldList.number(ends[1]), first <= last, last < .max
        else { return nil }
        self.first = first
        self.last = last
        total = FieldList.number(sides[1])
        guard total != nil || sides[1] == "*" else { return nil }
        if let total, total <= last { return nil }
    }
}
