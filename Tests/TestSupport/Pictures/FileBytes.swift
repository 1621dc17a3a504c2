import FoundationEssentials

/// Reads and writes complete files as arrays of bytes.
package enum FileBytes {
    /// All bytes of the file at `path`.
    package static func read(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// Writes `bytes` to the file at `path`, replacing its contents.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }
}
