import FetchCache
import Foundation
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pictures
@testable import Records
@testable import Reports
@testable import Sites

/// The stages of an image: which problem each failure becomes, and what is left behind.
@Suite(.timeLimit(.minutes(10))) struct ImagePipelineTests {
    private let local = ImageLocation.local("a.png")

    /// The answer that the source, or its only variant, has failed.
    private func failure(_ code: String, ofVariant: Bool = false) -> String {
        let failure = #"{"failure":{"_0":{"code":"\#(code)","reason":"r"}}}"#
        let header = canonicalText(of: ImageHeader(format: .gif, width: 1, height: 1))
        let image = #"{"image":{"_0":{"header":\#(header),"variants":[\#(failure)]}}}"#
        return "echo '\(ofVariant ? image : failure)'"
    }

    @Test func imagePassesThroughAllStages() async throws {
        let fixture = try await ImageFixture(BakeFolder(["a.png": dot("bytes")]))
        let name = await fixture.outcome(local)
        #expect(name.wholeMatch(of: /a-[0-9a-f]{16}\.gif/) != nil)
        #expect(fixture.published == [name])
        #expect(try fixture.site.folder.text("site/imgbake/" + name) == dot("bytes"))
        #expect(fixture.site.folder.exists("site/imgbake/.imgbake"))
        #expect(fixture.worker.jobs == ["image"])
        let counts = fixture.tally.now
        #expect(counts.images == 1 && counts.local == 1 && counts.failed == 0)
        let byteCount = dot("bytes").utf8.count
        #expect(counts.transformed == 1)
        #expect(counts.bytesBefore == byteCount && counts.bytesAfter == byteCount)
    }

    @Test func secondRunNeedsNoJob() async throws {
        let site = try BakeFolder(["a.png": dot("bytes")])
        let worker = try await ImageFixture.fakeWorker()
        var names: [String] = []
        for _ in 0..<2 {
            let fixture = try await ImageFixture(site, worker: worker)
            names.append(await fixture.outcome(local))
            await fixture.close()
        }
        #expect(worker.jobs == ["image"])
        #expect(worker.startCount == 1)
        #expect(names[0] == names[1])
        // An image that was deleted is published again, without a job.
        try FileManager.default.removeItem(atPath: site.root + "/imgbake/" + names[0])
        let fixture = try await ImageFixture(site, worker: worker)
        #expect(await fixture.outcome(local) == names[0])
        #expect(fixture.published == [names[0]])
        #expect(worker.jobs.count == 1)
    }

    @Test func variantThatFailedIsLeftOutOfLaterJobs() async throws {
        let header = ImageHeader(format: .gif, width: 1, height: 1)
        let wanted = [VariantOptions(), VariantOptions(quality: 5)]
        guard case .image(var answer) = ImageFixture.answer(header, wanted) else { return }
        answer.variants[1] = .failure(JobResult.JobError(.tooLargeForFormat, "r"))
        let worker = try await ImageFixture.fakeWorker(
            "echo '\(canonicalText(of: JobResult.image(answer)))'")
        let site = try BakeFolder(["a.png": dot("bytes")])
        for _ in 0..<2 {
            let fixture = try await ImageFixture(site, worker: worker)
            let source = try await fixture.pipeline.loader.load(local)
            let images = try await fixture.pipeline.maker.images(of: source, header, wanted)
            #expect(images.map { $0 != nil } == [true, false])
            await #expect(throws: Problem.self) {
                try await fixture.pipeline.maker.image(of: source, wanted[1])
            }
            await fixture.close()
        }
        #expect(worker.jobs == ["image"])
    }

    @Test func otherBytesOrOptionsNeedAnotherJob() async throws {
        let site = try BakeFolder(["a.png": dot("bytes"), "b.png": dot("bytes")])
        let worker = try await ImageFixture.fakeWorker()
        let first = try await ImageFixture(site, worker: worker)
        _ = await first.outcome(local)
        // The same bytes under another name share the work.
        #expect(await first.outcome(.local("b.png")).hasPrefix("b-"))
        #expect(worker.jobs == ["image"])
        _ = await first.outcome(local, VariantOptions(quality: 5))
        #expect(worker.jobs == ["image", "image"])
        await first.close()
        try site.folder.write(dot("other"), to: "site/a.png")
        let second = try await ImageFixture(site, worker: worker)
        _ = await second.outcome(local)
        #expect(worker.jobs == ["image", "image", "image"])
    }

    @Test(
        arguments: [
            ("unsupported", "unsupported-format", true), ("corrupt", "damaged-image", true),
            ("tooManyPixels", "too-many-pixels", true), ("unsafe", "unsafe-image", true),
            ("tooLargeForFormat", "too-large-for-format", true),
            ("outOfMemory", "out-of-memory", false), ("output", "unwritable-file", false),
        ], [false, true])
    func refusedJobHasCodeAndIsStoredIfImageIsTheCause(
        of kind: (answer: String, code: String, isRemembered: Bool), ofVariant: Bool
    ) async throws {
        let (answer, code, isRemembered) = kind
        let site = try BakeFolder(["a.png": dot("bytes")])
        let worker = try await ImageFixture.fakeWorker(failure(answer, ofVariant: ofVariant))
        for run in 1...2 {
            let fixture = try await ImageFixture(site, worker: worker)
            #expect(await fixture.outcome(local) == code)
            #expect(fixture.published.isEmpty && !site.folder.exists("site/imgbake"))
            #expect(fixture.tally.now.failed == 1 && fixture.tally.now.local == 0)
            #expect(worker.jobs.count == (isRemembered ? 1 : run))
            await fixture.close()
        }
        let changes: [(inout BakeOptions) -> Void] = [
            { $0.retryFailed = true }, { $0.mode = .refresh },
            { $0.fetching.policy.failureLifetime = .zero }, { $0.limits.pixels = 5 },
        ]
        for change in changes {
            let before = worker.jobs.count
            let fixture = try await ImageFixture(site, worker: worker, change)
            #expect(await fixture.outcome(local) == code)
            #expect(worker.jobs.count == before + 1)
            await fixture.close()
        }
    }

    /// What no decoder can read is not tried again with other options; a format that cannot hold the
    /// image is no reason against another one.
    @Test func failureOfTheSourceHoldsForAllOptions() async throws {
        for (ofVariant, count) in [(false, 1), (true, 2)] {
            let worker = try await ImageFixture.fakeWorker(failure("corrupt", ofVariant: ofVariant))
            let fixture = try await ImageFixture(BakeFolder(["a.png": dot("x")]), worker: worker)
            #expect(await fixture.outcome(local) == "damaged-image")
            #expect(await fixture.outcome(local, VariantOptions(quality: 5)) == "damaged-image")
            #expect(worker.jobs.count == count)
            await fixture.close()
        }
    }

    @Test func failedTransformPublishesNothing() async throws {
        let worker = try await ImageFixture.fakeWorker(failure("corrupt", ofVariant: true))
        let fixture = try await ImageFixture(BakeFolder(["a.png": dot("x")]), worker: worker)
        #expect(await fixture.outcome(local) == "damaged-image")
        #expect(fixture.published.isEmpty)
        #expect(worker.jobs == ["image"])
        #expect(fixture.tally.now.transformed == 0)
    }

    @Test(arguments: [
        #"echo '{"image":{"_0":{"header":{},"variants":[]}}}'"#,
        #"echo '{"variant":{"_0":{"format":"gif","width":1,"height":1,"isSource":true}}}'"#,
        "exit 1", "echo nonsense", #"echo "$answer""#,
        answers().replacing(#""isSource":true"#, with: #""isSource":false"#),
        answers().replacing(#""quality":"medium""#, with: #""quality":"high""#),
    ])
    func reportsFaultyWorker(answer: String) async throws {
        let worker = try await ImageFixture.fakeWorker(answer)
        let fixture = try await ImageFixture(BakeFolder(["a.png": dot("x")]), worker: worker)
        #expect(await fixture.outcome(local) == "worker-failed")
        #expect(fixture.published.isEmpty)
    }

    private static func answers() -> String { ImageFixture.answers() }

    @Test func reportsMissingWorker() async throws {
        let fixture = try await ImageFixture(BakeFolder(["a.png": dot("x")])) {
            $0.worker = "/nowhere/imgbake-worker"
        }
        #expect(await fixture.outcome(local) == "worker-unavailable")
        #expect(fixture.published.isEmpty)
    }

    @Test func refusesUnsafeSVG() async throws {
        let header = ImageHeader(
            format: .svg, width: 1, height: 1, objection: "the SVG has a <script>")
        var options = VariantOptions()
        options.svg = .refuse
        let worker = try await ImageFixture.fakeWorker(ImageFixture.answers(header, [options]))
        let fixture = try await ImageFixture(BakeFolder(["a.png": "<svg/>"]), worker: worker)
        #expect(await fixture.outcome(local, options) == "unsafe-image")
        #expect(worker.jobs == ["image"] && fixture.published.isEmpty)
    }

    @Test func reportsMissingFiles() async throws {
        let fixture = try await ImageFixture(BakeFolder(["folder/x": ""]))
        for path in ["gone.png", "folder", "../cache", "folder/x/y"] {
            #expect(await fixture.outcome(.local(path)) == "missing-image", "\(path)")
        }
        #expect(fixture.worker.startCount == 0)
    }

    @Test func reportsUnwritableImageFolder() async throws {
        let taken = try await ImageFixture(BakeFolder(["a.png": dot("x"), "imgbake": "a file"]))
        #expect(await taken.outcome(local) == "unwritable-file")
        #expect(try taken.site.folder.text("site/imgbake") == "a file")
        let outside = try TemporaryDirectory()
        let site = try BakeFolder(["a.png": dot("x")])
        try FileManager.default.createSymbolicLink(
            atPath: site.root + "/imgbake", withDestinationPath: outside.path)
        let linked = try await ImageFixture(site)
        #expect(await linked.outcome(local) == "link-outside")
        #expect(try outside.files().isEmpty)
    }

    @Test func fetchesRemoteImageOnceAndReportsFailure() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(
            Array(dot().utf8), contentType: "image/gif", cacheControl: "max-age=9999")
        origin["/page"] = .page("<p>no image")
        let fixture = try await ImageFixture(BakeFolder())
        let remote = { (path: String) in ImageLocation.remote(origin.url + path) }
        let name = await fixture.outcome(remote("/a.png"))
        #expect(fixture.published == [name])
        _ = await fixture.outcome(remote("/a.png"), VariantOptions(quality: 5))
        #expect(origin.requestCount(for: "/a.png") == 1)
        #expect(await fixture.outcome(remote("/gone.png")) == "http-status")
        #expect(await fixture.outcome(remote("/page")) == "not-an-image")
        #expect(fixture.published == [name])
        let counts = fixture.tally.now
        #expect(counts.fetched == 1 && counts.cached == 0 && counts.failed == 2)
        let offline = try await ImageFixture(BakeFolder()) { $0.mode = .offline }
        #expect(await offline.outcome(remote("/a.png")) == "not-in-cache")
    }

    @Test func refetchesDamagedBytes() async throws {
        let origin = try await Origin.start()
        let gif = Array(dot().utf8)
        origin["/a.png"] = OriginRoute(
            gif, contentType: "image/gif", cacheControl: "max-age=9999")
        let site = try BakeFolder()
        let worker = try await ImageFixture.fakeWorker()
        let source = ImageLocation.remote(origin.url + "/a.png")
        let first = try await ImageFixture(site, worker: worker)
        let name = await first.outcome(source)
        await first.close()
        try FileManager.default.removeItem(atPath: site.root + "/imgbake/" + name)
        for file in try site.folder.files(below: "cache").filter({ $0.contains("blobs") }) {
            let path = "cache/" + file
            chmod(site.folder.path(path), 0o644)
            try site.folder.write(try site.folder.bytes(path).map { $0 ^ 1 }, to: path)
        }
        let second = try await ImageFixture(site, worker: worker)
        #expect(await second.outcome(source) == name)
        #expect(try site.folder.bytes("site/imgbake/" + name) == gif)
        #expect(origin.requestCount(for: "/a.png") == 2)
    }

    @Test func reusesImageOnlyIfSourceAndFileAreUnchanged() async throws {
        let site = try BakeFolder(["a.png": dot("bytes")])
        let worker = try await ImageFixture.fakeWorker()
        let first = try await ImageFixture(site, worker: worker)
        let request = ImageRequest(source: local, options: VariantOptions())
        guard
            case .baked(let image, _) = await first.pipeline.outcome(
                for: request, remembered: nil)
        else {
            Issue.record("the image is baked")
            return
        }
        await first.close()
        var remembered = image
        remembered.width = 77
        let again = try await ImageFixture(site, worker: worker)
        // It is taken as it is: nothing is planned again.
        guard
            case .baked(let kept, _) = await again.pipeline.outcome(
                for: request, remembered: remembered)
        else {
            Issue.record("the image is remembered")
            return
        }
        #expect(kept.width == 77)
        try site.folder.write("other", to: "site/imgbake/" + image.fileName)
        #expect(await again.outcome(local, remembered: remembered) == image.fileName)
        #expect(try site.folder.text("site/imgbake/" + image.fileName) == dot("bytes"))
        // Of another source nothing is taken.
        remembered.sourceDigest = .ofNoBytes
        let outcome = await again.pipeline.outcome(for: request, remembered: remembered)
        guard case .baked(let made, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(made == image)
        #expect(worker.jobs.count == 1)
    }

    @Test func stoppedPoolOrCancelledTaskStopsImage() async throws {
        let fixture = try await ImageFixture(BakeFolder(["a.png": dot("x")]))
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await fixture.outcome(local)
        }
        #expect(await cancelled.value == "stopped")
        fixture.pool.stop()
        #expect(await fixture.outcome(local) == "stopped")
        #expect(fixture.published.isEmpty && fixture.tally.now.failed == 0)
    }
}
