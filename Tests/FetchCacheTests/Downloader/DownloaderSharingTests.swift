import FetchCache
import TestSupport
import Testing

@Suite("The downloader's own sharing, resumption, events and suspension", .timeLimit(.minutes(10)))
struct DownloaderSharingTests {
    private struct Setup {
        let origin: Origin
        let folder: TestFolder
        let downloader: FetchDownloader

        init(_ configure: (inout FetchConfiguration) -> Void = { _ in }) async throws {
            origin = try await Origin.start()
            folder = try TestFolder()
            downloader = try folder.downloader(TestClock(), configure)
        }

        func path(_ name: String) -> FilePath { FilePath("\(folder.path)/\(name)") }

        func close() async {
            await downloader.close()
            await origin.shutdown()
        }
    }

    @Test func callersShareTransfer() async throws {
        let setup = try await Setup()
        setup.origin["/a.png"] = OriginRoute(png(1, count: 90_000))
        setup.downloader.suspend()
        let request = FetchRequest(setup.origin.url + "/a.png")
        let joined = Box<Set<Int>>([])
        let tasks = (0..<5).map { number in
            Task {
                try await setup.downloader.download(request, to: setup.path("\(number).png")) { _ in
                    joined.change { $0.insert(number) }
                }
            }
        }
        #expect(await eventually { setup.downloader.activity.waitingCount == 1 })
        #expect(await eventually { joined.value.count == 5 })
        setup.downloader.resume()
        for (number, task) in tasks.enumerated() {
            #expect(try await task.value.path == setup.path("\(number).png"))
            #expect(bytes(of: setup.path("\(number).png")) == png(1, count: 90_000))
        }
        #expect(setup.origin.requestCount == 1)
        #expect(setup.folder.files(in: "tmp").filter { !$0.hasSuffix(".lock") } == [])
    }

    @Test func cancelledCallerLeavesTransferToOthers() async throws {
        let setup = try await Setup()
        setup.origin["/a.png"] = OriginRoute(png())
        setup.downloader.suspend()
        let request = FetchRequest(setup.origin.url + "/a.png")
        let first = Task { try await setup.downloader.download(request, to: setup.path("1.png")) }
        #expect(await eventually { setup.downloader.activity.waitingCount == 1 })
        let joined = Counter()
        let second = Task {
            try await setup.downloader.download(request, to: setup.path("2.png")) { _ in
                _ = joined.next()
            }
        }
        #expect(await eventually { joined.value > 0 })
        first.cancel()
        await expectCancelled { try await first.value }
        setup.downloader.resume()
        #expect(try await second.value.byteCount == 200)
        #expect(bytes(of: setup.path("1.png")) == nil)
    }

    @Test func requestsThatChangeSomethingAreNotShared() async throws {
        let setup = try await Setup()
        setup.origin["/a"] = OriginRoute(png())
        var request = FetchRequest(setup.origin.url + "/a")
        request.method = .post
        request.body = [1]
        setup.downloader.suspend()
        let tasks = (0..<3).map { [request] number in
            Task { try await setup.downloader.download(request, to: setup.path("\(number)")) }
        }
        #expect(await eventually { setup.downloader.activity.waitingCount == 3 })
        setup.downloader.resume()
        for task in tasks { _ = try await task.value }
        #expect(setup.origin.requestCount == 3)
    }

    @Test func nextDownloadResumes() async throws {
        let setup = try await Setup()
        let body = png(3, count: 100_000)
        let counter = Counter()
        setup.origin.handle("/a.png") { _ in
            var route = OriginRoute(
                body, etag: "\"1\"",
                delivery: counter.next() == 1 ? .truncated(after: 60_000) : .whole)
            route.acceptsRanges = true
            return route
        }
        let request = FetchRequest(setup.origin.url + "/a.png")
        let error = await #expect(throws: FetchError.self) {
            try await setup.downloader.download(request, to: setup.path("a.png"))
        }
        #expect(error?.code == .interrupted)
        let file = try await setup.downloader.download(request, to: setup.path("a.png"))
        #expect(file.byteCount == 100_000)
        #expect(bytes(of: file.path) == body)
        #expect(setup.origin.requests.map { $0.header("Range") } == [nil, "bytes=60000-"])
        await setup.close()
        #expect(setup.folder.files(in: "") == [])
    }

    @Test func sendsEventsUntilClosed() async throws {
        let setup = try await Setup()
        setup.origin["/a.png"] = OriginRoute(png())
        setup.origin["/b.png"] = .status(404)
        let url = setup.origin.url
        let events = setup.downloader.events
        _ = try await setup.downloader.download(
            FetchRequest(url + "/a.png"), to: setup.path("a.png"))
        _ = try? await setup.downloader.download(
            FetchRequest(url + "/b.png"), to: setup.path("b.png"))
        await setup.close()
        var kinds: [String] = []
        for await event in events {
            switch event.kind {
            case .progress: continue
            case .started(let url): kinds.append("started \(url.suffix(5))")
            case .response(let status, _): kinds.append("response \(status)")
            case .finished(let count): kinds.append("finished \(count)")
            case .failed(let error): kinds.append("failed \(error.status ?? 0)")
            default: kinds.append("\(event.kind)")
            }
        }
        #expect(
            kinds == [
                "queued", "started a.png", "response 200", "finished 200",
                "queued", "started b.png", "response 404", "failed 404",
            ])
    }

    @Test func limitChangesWhileRunning() async throws {
        let setup = try await Setup { $0.downloader.limits.transfers = 1 }
        setup.origin["/slow"] = OriginRoute(delivery: .silent)
        setup.origin["/a.png"] = OriginRoute(png())
        let slow = Task {
            try await setup.downloader.download(
                FetchRequest(setup.origin.url + "/slow"), to: setup.path("slow"))
        }
        #expect(await eventually { setup.downloader.activity.runningCount == 1 })
        let other = Task {
            try await setup.downloader.download(
                FetchRequest(setup.origin.url + "/a.png"), to: setup.path("a.png"))
        }
        #expect(await eventually { setup.downloader.activity.waitingCount == 1 })
        setup.downloader.maximumTransfers = 2
        #expect(try await other.value.byteCount == 200)
        slow.cancel()
        await expectCancelled { try await slow.value }
    }
}
