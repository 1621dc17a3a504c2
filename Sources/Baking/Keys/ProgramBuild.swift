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
            if lines.count == 2, lines[0] == state {
                known.withLock { $0[state] = String(lines[1]) }
                return String(lines[1])
            }
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
        if let id = buildID(ofFile: path) { return BlobDigest(hashing: id) }
        return try BlobDigest.ofFile(path).digest
    }

    /// The ID that a linker has given to a program or a library of ELF; nil if it has none.
    ///
    /// Only a few small parts of the file are read. Links are followed.
    ///
    /// - Parameter path: A path that anybody may have chosen.
    /// - Returns: The ID, of 8 to 64 bytes.
    static func buildID(ofFile path: String) -> [UInt8]? {
        guard let path = resolvedPath(path), let status = FileStatus(path), status.kind == .file,
            let file = try? OpenFile(reading: path),
            let header = try? file.read(atMost: 64, from: 0), header.count == 64,
            // Of 64 bits, the low ones first.
            header.starts(with: [0x7F] + Array("ELF".utf8) + [2, 1]), number(header, 54, 2) == 56,
            let segments = try? file.read(
                atMost: 56 * number(header, 56, 2), from: number(header, 32, 8))
        else { return nil }
        for segment in stride(from: 0, through: segments.count - 56, by: 56)
        where number(segments, segment, 4) == noteSegment {
            let length = number(segments, segment + 32, 8)
            guard length <= longestNotes,
                let notes = try? file.read(atMost: length, from: number(segments, segment + 8, 8))
            else { continue }
            if let id = buildID(inNotes: notes) { return id }
        }
        return nil
    }

    private static let noteSegment = 4
    private static let longestNotes = 4_096

    /// The build ID among notes: each has the lengths of its owner and of its text, its kind, and then
    /// both at multiples of four bytes.
    private static func buildID(inNotes notes: [UInt8]) -> [UInt8]? {
        var rest = notes[...]
        while rest.count >= 12 {
            let start = rest.startIndex
            let owner = number(notes, start, 4)
            let count = number(notes, start + 4, 4)
            let text = 12 + (owner + 3) & ~3
            guard text + count <= rest.count else { return nil }
            let isID = number(notes, start + 8, 4) == 3
            if isID, rest.dropFirst(12).prefix(owner).elementsEqual("GNU\0".utf8) {
                return (8...64).contains(count) ? Array(rest.dropFirst(text).prefix(count)) : nil
            }
            rest = rest.dropFirst(text + (count + 3) & ~3)
        }
        return nil
    }

    /// A number in the file; the largest one for any that no file has.
    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        let bits = bytes[offset..<offset + count].reversed().reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        return Int(exactly: bits) ?? .max
    }
}
