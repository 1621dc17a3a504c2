import FetchCache
import Glibc
import TestSupport
import Testing

@Suite("Transforms", .timeLimit(.minutes(10)))
struct TransformTests {
    /// A transform that appends one byte to the source.
    private func lengthening(_ runs: Counter, identity: String = "longer 1") -> Transform {
        Transform(identity: identity) { source, output in
            _ = runs.next()
            try await Task.sleep(for: .milliseconds(20))
            try write(try await source.bytes() + [7], to: output)
        }
    }

    @Test func runsAtMostOneForEachProcessorAtATime() async throws {
        let fixture = try await Fixture()
        let (inside, most) = (Box(0), Box(0))
        let transform = Transform(identity: "counted") { source, output in
            inside.change { $0 += 1 }
            most.change { $0 = max($0, inside.value) }
            try await Task.sleep(for: .milliseconds(5))
            inside.change { $0 -= 1 }
            try write(try await source.bytes(), to: output)
        }
        let count = 4 * sysconf(Int32(_SC_NPROCESSORS_ONLN))
        for number in 0..<count { fixture.origin["/\(number)"] = OriginRoute(png(number)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                var request = FetchRequest(fixture.origin.url + "/\(number)")
                request.transform = transform
                request.storage = number % 2 == 0 ? .memory : .everywhere
                group.addTask { [request] in _ = try await fixture.cache.load(request) }
            }
            try await group.waitForAll()
        }
        #expect(most.value <= count / 4)
    }

    /// The source needs no request, and the other one comes after it.
    @Test func mayLoadAnotherResource() async throws {
        let fixture = try await Fixture { $0.downloader.limits.transfers = 1 }
        for path in ["/a.png", "/b.png"] {
            fixture.origin[path] = OriginRoute(png(path.utf8.count), cacheControl: "max-age=60")
        }
        _ = try await fixture.load("/a.png")
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.transform = Transform(identity: "both") { source, output in
            try write(
                try await source.bytes() + fixture.load("/b.png").bytes(), to: output)
        }
        #expect(try await fixture.cache.load(request).byteCount == 400)
    }

    @Test func runsOncePerSourceAndIdentity() async throws {
        let fixture = try await Fixture()
        let runs = Counter()
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        fixture.origin["/same.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let transform = lengthening(runs)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    var request = FetchRequest(
                        fixture.origin.url + (number % 2 == 0 ? "/a.png" : "/same.png"))
                    request.transform = transform
                    let made = try await fixture.cache.load(request)
                    #expect(bytes(of: made.path) == png(1) + [7])
                }
            }
            try await group.waitForAll()
        }
        #expect(runs.value == 1)

        // The next process does not repeat it either.
        let second = try fixture.reopened()
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.transform = transform
        let resource = try await second.load(request)
        #expect(resource.mediaType == .png)
        #expect(resource.byteCount == 201)
        #expect(runs.value == 1)

        request.transform = lengthening(runs, identity: "longer 2")
        _ = try await second.load(request)
        #expect(runs.value == 2)
    }

    @Test func runsAgainForAnotherSource() async throws {
        let fixture = try await Fixture()
        let runs = Counter()
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.transform = lengthening(runs)
        fixture.origin["/a.png"] = OriginRoute(png(1))
        _ = try await fixture.cache.load(request)
        fixture.origin["/a.png"] = OriginRoute(png(2))
        #expect(try await fixture.cache.load(request).bytes() == png(2) + [7])
        #expect(runs.value == 2)
    }

    @Test func errorFailsLoadAndStoresNothing() async throws {
        struct Broken: Error {}
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1))
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.transform = Transform(identity: "broken") { _, output in
            try write([1, 2, 3], to: output)
            throw Broken()
        }
        let failure = await fixture.failure(of: request)
        #expect(failure?.code == .custom)
        #expect(failure?.detail == "\(Broken())")
        #expect(fixture.folder.files(in: "blobs").count == 1)
        #expect(try await fixture.cache.summary().variantCount == 0)
    }
}

/// Writes a new file.
func write(_ bytes: [UInt8], to path: String) throws {
    let handle = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
    guard handle >= 0 else { throw POSIXFailure(code: errno) }
    defer { close(handle) }
    guard Glibc.write(handle, bytes, bytes.count) == bytes.count else {
        throw POSIXFailure(code: errno)
    }
}
