import Foundation
import TestSupport
import Testing

/// The files that users commit, `imgbake.lock` and the baseline, are whole at any moment.
@Suite(.timeLimit(.minutes(10))) struct CommittedFileTests {
    @Test(arguments: [
        ("imgbake.lock", "lock", ["site", "--update", "*"]),
        (
            "known.json", "bake",
            ["site", "-o", "out", "--baseline", "known.json", "--update-baseline"]
        ),
    ]) func killedCommandLeavesTheOldOrTheNewFile(
        name: String, command: String, words: [String]
    ) async throws {
        let origin = try await Origin.start()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        origin["/a.png"] = .init(try Pictures.scene(as: "png"), cacheControl: "no-cache")
        try site.folder.write("{\"imgbake-baseline\":1}\n", to: "known.json")
        _ = try await site.start(command: "lock", ["site"]).result()
        let old = try site.folder.text(name)
        origin["/a.png"] = .init(try Pictures.scene(seed: 2, as: "png"), cacheControl: "no-cache")
        try site.restore(["b.md": "![](\(origin.url)/dead.png)"])
        _ = try await site.start(command: command, words).result()
        let new = try site.folder.text(name)
        #expect(new != old)

        for delay in stride(from: 0, through: 300, by: 15) {
            try site.folder.write(old, to: name)
            let run = try site.start(command: command, words)
            try await Task.sleep(for: .milliseconds(delay))
            run.signal(SIGKILL)
            _ = try await run.result()
            let left = try site.folder.text(name)
            #expect(left == old || left == new, "\(delay) ms: \(left)")
        }
        _ = try await site.start(command: command, words).result()
        #expect(try site.folder.text(name) == new)
    }
}
