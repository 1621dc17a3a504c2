import FetchCache
import Foundation
import Glibc
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// An origin and a cache in a new folder, which end when nothing references this object.
///
/// A closure that handles requests must not capture the fixture: the origin keeps the closure.
final class Fixture: Sendable {
    let cache: FetchManager
    let origin: Origin
    let folder: TestFolder
    let clock: TestClock

    /// Starts the origin and opens the cache.
    ///
    /// `configure` changes the configuration, which has short timeouts, no retries, and allows the
    /// private network.
    init(configure: (inout FetchConfiguration) -> Void = { _ in }) async throws {
        origin = try await Origin.start()
        folder = try TestFolder()
        clock = TestClock()
        cache = try FetchManager(folder.configuration(clock, configure))
    }

    /// Loads a path of the origin.
    func load(_ path: String, _ mode: FetchRequest.Mode = .normal) async throws -> Resource {
        try await cache.load(FetchRequest(origin.url + path, mode: mode))
    }

    /// Loads a path, and counts the caller when it starts to wait for a transfer.
    func load(_ path: String, counting joined: Counter) async throws -> Resource {
        let isFirst = Box(true)
        return try await cache.load(FetchRequest(origin.url + path)) { _ in
            isFirst.change { isFirst in
                if isFirst { _ = joined.next() }
                isFirst = false
            }
        }
    }

    /// The error of loading a path; nil if it succeeds.
    func failure(_ path: String, _ mode: FetchRequest.Mode = .normal) async -> FetchError? {
        await failure(of: FetchRequest(origin.url + path, mode: mode))
    }

    /// The error of a request; nil if it succeeds.
    func failure(of request: FetchRequest) async -> FetchError? {
        do {
            _ = try await cache.load(request)
            return nil
        } catch {
            return error
        }
    }

    /// Opens another cache in the same folder.
    func reopened(
        configure: (inout FetchConfiguration) -> Void = { _ in }
    ) throws -> FetchManager {
        try FetchManager(folder.configuration(clock, configure))
    }

    /// Ends the cache and the origin, for a test that looks at what is left.
    func close() async {
        await cache.close()
        await origin.shutdown()
    }
}

/// A wall clock that tests can advance.
final class TestClock: Sendable {
    private let offset = Atomic<Int64>(0)

    var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
            + offset.load(ordering: .relaxed)
    }

    var date: Date { Date(timeIntervalSince1970: Double(now) / 1000) }

    func advance(seconds: Int64) { offset.wrappingAdd(seconds * 1000, ordering: .relaxed) }
}

/// A new folder, which is removed with its contents when nothing references this object.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/fetchcache-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXFailure(code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(path) }

    func configuration(
        _ clock: TestClock = TestClock(), _ configure: (inout FetchConfiguration) -> Void = { _ in }
    ) -> FetchConfiguration {
        var configuration = FetchConfiguration(folder: FilePath(path + "/cache"))
        configuration.downloader.network.allowsPrivateNetwork = true
        configuration.downloader.limits.retries = 0
        configuration.downloader.times.retryDelay = .milliseconds(20)
        configuration.downloader.times.connect = .seconds(10)
        configuration.downloader.times.stall = .seconds(30)
        configuration.now = { clock.now }
        configuration.downloader.network.proxy = .none
        configuration.policy.cleansByItself = false
        configure(&configuration)
        return configuration
    }

    /// A downloader with the configuration and the folder of a cache.
    func downloader(
        _ clock: TestClock = TestClock(), _ configure: (inout FetchConfiguration) -> Void = { _ in }
    ) throws(FetchError) -> FetchDownloader {
        let configuration = configuration(clock, configure)
        return try FetchDownloader(configuration.downloader, in: configuration.folder.path)
    }

    /// The relative paths of all regular files below a folder of the cache.
    func files(in folder: String) -> [String] {
        Self.walk("\(path)/cache/\(folder)").sorted()
    }

    private static func names(_ path: String) -> [String]? {
        guard let stream = opendir(path) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func walk(_ path: String) -> [String] {
        (names(path) ?? []).flatMap { name in
            names("\(path)/\(name)") == nil
                ? [name] : walk("\(path)/\(name)").map { "\(name)/\($0)" }
        }
    }

    private static func remove(_ path: String) {
        if let names = names(path) {
            for name in names { remove("\(path)/\(name)") }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

struct POSIXFailure: Error {
    var code: Int32
}

/// The bytes of a file.
func bytes(of path: String) -> [UInt8]? {
    let handle = open(path, O_RDONLY)
    guard handle >= 0 else { return nil }
    defer { close(handle) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(handle, &buffer, buffer.count)
        guard count > 0 else { return count == 0 ? result : nil }
        result += buffer.prefix(count)
    }
}

/// Expects that a closure throws an error of the code `cancelled`.
func expectCancelled<Value>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async {
    let error = await #expect(throws: FetchError.self, sourceLocation: sourceLocation) {
        _ = try await body()
    }
    #expect(error?.code == .cancelled, sourceLocation: sourceLocation)
}

/// Waits until a condition holds; returns false if it does not within twenty seconds.
func eventually(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<2000 {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return await condition()
}

/// Bytes that start like a PNG and continue with data from a seed.
///
/// FetchCache detects an image.
func png(_ seed: Int = 0, count: Int = 200) -> [UInt8] {
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    return signature
        + (0..<max(0, count - 8)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 40)
        }
}

/// Removes a blob or truncates it.
func damage(_ path: String, isMissing: Bool) throws {
    guard isMissing ? unlink(path) == 0 : truncate(path, 10) == 0 else {
        throw POSIXFailure(code: errno)
    }
}

/// A counter that starts at 1 and can be used from any thread.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

typealias Fields = HTTPFields

extension HTTPFields {
    init(_ pairs: [(name: String, value: String)]) {
        self.init()
        for pair in pairs { append(name: pair.name, value: pair.value) }
    }

    mutating func append(name: String, value: String) {
        if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
    }

    subscript(name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }

    func values(for name: String) -> [String] {
        HTTPField.Name(name).map { self[values: $0] } ?? []
    }

    var pairs: [(name: String, value: String)] { map { ($0.name.rawName, $0.value) } }
}
