/// What decides the output of a copy, for the marks of shards: equal on all machines that bake the same
/// site.
///
/// Each part has a digest of its own, so that a message can say what differs.
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
