import FetchCache

/// The bytes of a file; nil if it cannot be read.
func bytes(of path: FilePath) -> [UInt8]? { bytes(of: path.string) }

func write(_ bytes: [UInt8], to path: FilePath) throws { try write(bytes, to: path.string) }

/// Removes or shortens a file.
func damage(_ path: FilePath, isMissing: Bool) throws {
    try damage(path.string, isMissing: isMissing)
}
