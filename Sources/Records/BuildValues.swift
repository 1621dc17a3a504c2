package import FetchCache
import Files

/// Values of the cache that are cheap to make again.
///
/// Each belongs to the build that made it. A build takes the value of another one for missing and
/// replaces it. So a change of the code never meets a result of older code, and no version has to be
/// raised by hand.
package struct BuildValues: Sendable {
    /// The result of a look-up.
    package enum Found: Equatable {
        case none
        /// There is a value of another build.
        case outdated
        case value([UInt8])
    }

    /// The namespace in the cache.
    let name: String
    package let cache: FetchManager

    package init(
        name: String, cache: FetchManager
    ) {
        self.name = name
        self.cache = cache
    }

    package func find(_ key: String, of build: String) async throws(FetchError) -> Found {
        guard var bytes = try await cache.value(for: key, in: name) else { return .none }
        let mark = Array(build.utf8) + [UInt8(ascii: "\n")]
        guard bytes.starts(with: mark) else { return .outdated }
        // In place: some values are megabytes.
        bytes.removeFirst(mark.count)
        return .value(bytes)
    }

    /// The value of this build.
    package func value(for key: String, of build: String) async throws(FetchError) -> [UInt8]? {
        guard case .value(let bytes) = try await find(key, of: build) else { return nil }
        return bytes
    }

    package func set(_ value: [UInt8], for key: String, of build: String) async throws(FetchError) {
        let mark = Array(build.utf8) + [UInt8(ascii: "\n")]
        try await cache.setValues([key: mark + value], in: name)
    }

    package func remove(_ key: String) async throws(FetchError) {
        try await cache.removeValues(for: [key], in: name)
    }

    /// Records that a value is still needed.
    package func use(_ key: String) { cache.useValue(for: key, in: name) }
}

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
