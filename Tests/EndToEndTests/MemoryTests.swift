import TestSupport
import Testing

/// The memory for all images that are transformed at the same time.
@Suite(.timeLimit(.minutes(10))) struct MemoryTests {
    /// Images of 20 megapixels, each of which takes about 73 MB, and small ones of about 51 MB.
    private let large = (0..<5).map { Pictures.bomb(width: 5_000, height: 4_000 + 100 * $0) }
    private let small: [[UInt8]]

    init() throws { small = try (1...3).map { try Pictures.scene(seed: $0, as: "png") } }

    /// Bakes `images` with two workers.
    ///
    /// - Parameters:
    ///   - images: The images.
    ///   - memory: The memory for all of them.
    ///   - count: The number of jobs that must have started before the first one is done.
    /// - Returns: The result, the number of baked images, and the starts and ends of all jobs.
    /// - Throws: An error if the command or the files cannot be used.
    private func bake(
        _ images: [[UInt8]], memory: String, count: Int
    ) async throws -> (result: CommandResult, imageCount: Int, events: [Event]) {
        let names = images.indices.map { "\($0).png" }
        let site = try TestSite(["a.html": names.map { "<img src=\($0)>" }.joined()])
        for (name, image) in zip(names, images) {
            try site.folder.write(image, to: "site/\(name)")
        }
        let probe = Command.built("worker-probe")
        try await site.folder.writeScript(
            """
            #!/bin/sh
            exec "\(probe)" record "\(site.folder.path("log"))" \(count) \
            "\(Command.built("imgbake-worker"))"
            """, to: "worker")
        let result = try await site.start(
            ["--local", "-o", "out", "--jobs", "2", "--memory", memory],
            environment: ["IMGBAKE_WORKER": site.folder.path("worker")]
        ).result()
        let lines = try site.folder.text("log").split(separator: "\n")
        return (result, try site.images(in: "out/imgbake").count, lines.compactMap(Event.init))
    }

    @Test func imagesOverBudgetRunOneAfterTheOther() async throws {
        let (result, imageCount, events) = try await bake(
            large + small, memory: "110MB", count: 1)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(imageCount == large.count + small.count)
        #expect(events.count { $0.isStart } == large.count + small.count)
        #expect(Event.peak(of: large, in: events) == 1)
        // A small one does not fit beside a large one either.
        #expect(!Event.isOverlapping(large, small, in: events))
    }

    /// Proves that the images can overlap: the first one waits for the second.
    @Test func imagesWithinBudgetRunTogether() async throws {
        let (result, imageCount, events) = try await bake(large, memory: "1GB", count: 2)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(imageCount == large.count)
        #expect(Event.peak(of: large, in: events) == 2)
    }
}

/// The start or the end of a job.
private struct Event {
    let isStart: Bool
    /// The size of its source in bytes.
    let size: Int

    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count == 2, let size = Int(words[1]) else { return nil }
        (isStart, self.size) = (words[0] == "start", size)
    }

    /// The maximum number of these images in work at the same time.
    static func peak(of images: [[UInt8]], in events: [Event]) -> Int {
        let sizes = Set(images.map(\.count))
        var (running, peak) = (0, 0)
        for event in events where sizes.contains(event.size) {
            running += event.isStart ? 1 : -1
            peak = max(peak, running)
        }
        return peak
    }

    /// Whether an image of `first` was in work at the same time as one of `second`.
    static func isOverlapping(
        _ first: [[UInt8]], _ second: [[UInt8]], in events: [Event]
    ) -> Bool {
        let sizes = [first, second].map { Set($0.map(\.count)) }
        var running = [0, 0]
        for event in events {
            for index in 0..<2 where sizes[index].contains(event.size) {
                running[index] += event.isStart ? 1 : -1
            }
            if running[0] > 0, running[1] > 0 { return true }
        }
        return false
    }
}
