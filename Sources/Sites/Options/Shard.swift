import FetchCache

/// One of several parts of a site: the files whose paths hash to it.
///
/// The hash is the SHA-256 of the path, so it is the same on every machine.
package struct Shard: Hashable, Sendable {
    /// Counted from 1.
    package let number: Int
    package let count: Int

    /// The syntax, for messages.
    package static let notation = "a part such as 3/16, of at most 9999"

    /// Reads a text such as `3/16`; nil if it has another form.
    package init?(_ text: String) {
        guard let found = text.wholeMatch(of: /([1-9][0-9]{0,3})\/([1-9][0-9]{0,3})/)?.output,
            let number = Int(found.1), let count = Int(found.2), number <= count
        else { return nil }
        (self.number, self.count) = (number, count)
    }

    /// The shard that has left a file in a folder, by the name of the file: `NAME-3-of-16`.
    ///
    /// - Parameters:
    ///   - file: The name of the file.
    ///   - name: The name that the file of a whole site has.
    init?(ofFile file: String, named name: String) {
        guard file.hasPrefix(name + "-") else { return nil }
        let part = file.dropFirst(name.count + 1)
        guard !part.contains("/") else { return nil }
        self.init(String(part.replacing("-of-", with: "/", maxReplacements: 1)))
    }

    /// The part in the name of a file.
    package var name: String { "\(number)-of-\(count)" }

    /// Whether a file belongs to the part.
    ///
    /// - Parameter path: The path relative to the site, with `/` between its parts.
    /// - Returns: True for one of all parts.
    package func contains(_ path: String) -> Bool {
        let digest = BlobDigest(hashing: Array(path.utf8)).hex
        guard let value = UInt64(digest.prefix(16), radix: 16) else { return false }
        return value % UInt64(count) == UInt64(number - 1)
    }
}

/// What decides the output of a copy, for the marks of shards: equal on all machines that bake the same
/// site.
///
/// Each part has a digest of its own, so that a message can say what differs.
///
/// Only documents are hashed. Other files count by path and size: to hash all would make each shard
/// read the whole site.
package struct ShardInput: Hashable, Sendable {
    /// The parts, in the order of the text, with their names in messages.
    private static let parts = [
        ("files", "files"), ("settings", "settings"), ("lockfile", "lockfiles"),
        ("version", "versions of imgbake"),
    ]

    private var values: [String: String]

    /// - Parameters:
    ///   - files: A digest of the files of the site.
    ///   - settings: A digest of the settings that decide the output.
    ///   - lockfile: The digest of the lockfile; nil if none is used.
    ///   - version: The version of imgbake.
    package init(files: String, settings: String, lockfile: String?, version: String) {
        values = [
            "files": files, "settings": settings, "lockfile": lockfile ?? "none",
            "version": version,
        ]
    }

    /// Reads the line of a mark, which may say anything.
    init(_ text: String) {
        values = [:]
        for word in text.split(separator: " ") {
            let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { values[pair[0]] = pair[1] }
        }
    }

    /// The line of a mark.
    var text: String {
        Self.parts.compactMap { name, _ in values[name].map { "\(name)=\($0)" } }
            .joined(separator: " ")
    }

    /// The names of the parts that differ.
    func differences(from other: ShardInput) -> [String] {
        Self.parts.filter { values[$0.0] != other.values[$0.0] }.map(\.1)
    }
}
