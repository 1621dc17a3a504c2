internal import CCurl
internal import GRDB

/// The versions of the libraries that this module uses.
package enum LibraryVersions {
    /// libcurl and the libraries that it uses, with their versions.
    package static var curl: [(name: String, version: String)] {
        String(cString: ccurl_version()).split(separator: " ").compactMap { word in
            let parts = word.split(separator: "/", maxSplits: 1)
            guard parts.count == 2, !word.hasPrefix("(") else { return nil }
            return (String(parts[0]), String(parts[1]))
        }
    }

    /// The version of SQLite; nil if it cannot open a database in memory.
    package static var sqlite: String? {
        try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
    }
}
