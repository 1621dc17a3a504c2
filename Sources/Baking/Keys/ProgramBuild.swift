import FetchCache
import Files
import Locks

/// The build of a program: a digest of the ID that its linker has given it, or of its file.
///
/// The version number changes with a release, but not while imgbake is developed. The digest also
/// changes with each build, and is the same on all machines that have the same package.
enum ProgramBuild {
    private static let namespace = "programs"
    private static let known = Locked<[String: String]>([:])

    /// The executable of this process.
    static let command = "/proc/self/exe"

    /// The digest of a program.
    ///
    /// It is stored with the status of the file, so a program is read once after its installation.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - cache: The cache that stores the digest.
    /// - Returns: The digest in hexadecimal; `unknown` if the file cannot be read.
    static func digest(of program: String, in cache: FetchManager) async -> String {
        guard let path = resolvedPath(program), let status = FileStatus(path) else {
            return "unknown"
        }
        let state = "\(path) \(status.stateText)"
        if let digest = known.withLock({ $0[state] }) { return digest }
        if let stored = try? await cache.value(for: path, in: namespace) {
            let lines = String(decoding: stored, as: UTF8.self).split(separator: "\n")
            if lines.count == 2, lines[0] == state { return String(lines[1]) }
        }
        let digest = try? await BlockingPool.shared.run { try identity(of: path) }
        guard let digest else { return "unknown" }
        known.withLock { $0[state] = digest.hex }
        try? await cache.setValues([path: Array("\(state)\n\(digest.hex)".utf8)], in: namespace)
        return digest.hex
    }
    /// The digest of a program's build ID; of the whole file if it has none.
    ///
    /// A linker makes the ID of all that it writes. To hash the programs of a build that is not
    /// stripped takes longer than the rest of a bake whose images are on another machine.
    private static func identity(of path: String) throws(FileError) -> BlobDigest {
        let beginning = try OpenFile(reading: path).read(atMost: 4_096)
        if let id = buildID(in: beginning) { return BlobDigest(hashing: id) }
        return try BlobDigest.ofFile(path).digest
    }

    /// The build ID in the first page of a program of ELF, where linkers put it; nil if none is there.
    static func buildID(in bytes: [UInt8]) -> [UInt8]? {
        // The last 12 bytes of a note's header: its kind, in the order of bytes of either kind of
        // machine, and its owner.
        let marks = [[3, 0, 0, 0], [0, 0, 0, 3]].map { $0 + Array("GNU\0".utf8) }
        guard bytes.starts(with: [0x7F] + Array("ELF".utf8)),
            let mark = marks.lazy.compactMap({ bytes.firstRange(of: $0) }).first,
            mark.lowerBound >= 8
        else { return nil }
        // The length before it is one of a digest.
        let count = Int(bytes[(mark.lowerBound - 4)..<mark.lowerBound].max() ?? 0)
        guard (8...64).contains(count), mark.upperBound + count <= bytes.count else { return nil }
        return Array(bytes[mark.upperBound...].prefix(count))
    }
}
