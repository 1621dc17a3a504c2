import FetchCache
import Files

/// The build of a program.
///
/// The version number changes with a release, but not while imgbake is developed.
package enum ProgramBuild {
    /// The executable of this process.
    package static let command = "/proc/self/exe"

    /// Covers the ID that a linker gives to each build.
    ///
    /// It is in the first page of a program, or at its end if a tool like `patchelf` has moved it. To
    /// hash the whole program would take longer than the rest of a small bake.
    private static let hashedBytes = 64 << 10

    /// The digest of a program's size, its first and its last 64 KiB.
    ///
    /// It changes with each build, and is the same on all machines that have the same package.
    ///
    /// - Parameter program: The path of the program.
    /// - Returns: The digest in hexadecimal; `unknown` if the file cannot be read.
    package static func digest(of program: String) -> String {
        guard let path = resolvedPath(program), let status = FileStatus(path), status.kind == .file,
            let file = try? OpenFile(reading: path),
            let start = try? file.read(atMost: hashedBytes, from: 0),
            let end = try? file.read(
                atMost: hashedBytes, from: max(0, status.byteCount - hashedBytes))
        else { return "unknown" }
        return BlobDigest(hashing: Array("\(status.byteCount) ".utf8) + start + end).hex
    }
}
