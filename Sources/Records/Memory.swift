package import FetchCache
import Files
import FoundationEssentials

/// What a bake remembers for later ones, as one line of JSON for each key.
///
/// It is cheap to make again, and a value that cannot be read is missing.
package protocol Remembered: Codable, Sendable {
    /// Whether a bake can have written these numbers and names.
    ///
    /// A damaged cache, or one of somebody else, can hold anything; no such value is computed with.
    var isPossible: Bool { get }
}

extension Remembered {
    package var isPossible: Bool { true }
}

/// One kind of what bakes remember, in the cache.
///
/// Each value belongs to the build that made it. A build takes the value of another one for missing
/// and replaces it. So a change of the code never meets a result of older code, and no version has
/// to be raised by hand.
package struct Memory<Value: Remembered>: Sendable {
    /// The result of a look-up.
    package enum Found: Sendable {
        case none
        /// There is a value of another build.
        case outdated
        case value(Value)
    }

    private let kind: String
    package let cache: FetchManager

    /// - Parameters:
    ///   - kind: Separates the keys of these values from those of others.
    ///   - cache: The cache.
    package init(of kind: String, in cache: FetchManager) {
        (self.kind, self.cache) = (kind, cache)
    }

    package func find(_ key: String, of build: String) async throws(FetchError) -> Found {
        guard let bytes = try await cache.value(for: key, in: kind) else { return .none }
        guard let line = Self.line(bytes, of: build) else { return .outdated }
        return Self.decoded(line).map(Found.value) ?? .none
    }

    /// The value of this build; nil if there is none.
    package func value(_ key: String, of build: String) async throws(FetchError) -> Value? {
        try await values([key], of: build)[key]
    }

    /// The values of this build, by their keys.
    package func values(
        _ keys: [String], of build: String
    ) async throws(FetchError) -> [String: Value] {
        try await cache.values(for: keys, in: kind).compactMapValues { bytes in
            Self.line(bytes, of: build).flatMap(Self.decoded)
        }
    }

    /// Stores values in one transaction.
    package func set(_ values: [String: Value], of build: String) async throws(FetchError) {
        let rows = values.compactMapValues { value in
            Self.encoded(value).map { Array(build.utf8) + [UInt8(ascii: "\n")] + $0 }
        }
        try await cache.setValues(rows, in: kind)
    }

    package func remove(_ keys: [String]) async throws(FetchError) {
        try await cache.removeValues(for: keys, in: kind)
    }

    /// Records that a value is still needed.
    package func use(_ key: String) { cache.useValue(for: key, in: kind) }

    /// The line after that of the build; nil if the build is another one.
    private static func line(_ bytes: [UInt8], of build: String) -> ArraySlice<UInt8>? {
        let mark = Array(build.utf8) + [UInt8(ascii: "\n")]
        return bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : nil
    }

    static func encoded(_ value: Value) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(value)).map(Array.init)
    }

    static func decoded(_ line: ArraySlice<UInt8>) -> Value? {
        guard let value = try? JSONDecoder().decode(Value.self, from: Data(line)), value.isPossible
        else { return nil }
        return value
    }
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
