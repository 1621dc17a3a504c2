import FetchCache
import Files
import Locks

/// The build of a program: a digest of its file.
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
    /// It is stored with the status of the file, so a program is hashed once after its installation.
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
        let digest = try? await BlockingPool.shared.run { try BlobDigest.ofFile(path).digest }
        guard let digest else { return "unknown" }
        known.withLock { $0[state] = digest.hex }
        try? await cache.setValues([path: Array("\(state)\n\(digest.hex)".utf8)], in: namespace)
        return digest.hex
    }
}
