import Documents
import Files
import Foundation
import Locks
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Sites

@Suite(.timeLimit(.minutes(10))) struct SiteOriginsTests {
    /// Another task may have taken the line of a document, and not have written it yet.
    @Test func writingEndsAfterTheLinesThatAnotherTaskHasTaken() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("a", to: "a.html")
        try folder.write("", to: "imgbake/" + OriginList.name)
        let site = Site(
            root: try #require(resolvedPath(folder.path)), displayRoot: ".", isInPlace: true,
            reading: ReadingOptions())
        let origins = SiteOrigins(site, settings: "")
        try origins.record(
            [1], [], of: SiteOrigins.Text([0]), "a.html", .html)
        let list = open(folder.path("imgbake/" + OriginList.name), O_RDWR)
        defer { close(list) }
        #expect(flock(list, LOCK_EX) == 0)
        let ended = Locked(0)
        let threads = (0..<2).map { _ in
            Thread {
                try? origins.write(isSynced: false)
                ended.withLock { $0 += 1 }
            }
        }
        for thread in threads {
            thread.start()
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(ended.withLock(\.self) == 0)
        flock(list, LOCK_UN)
        for _ in 0..<2_000 where ended.withLock(\.self) < 2 {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(ended.withLock(\.self) == 2)
        #expect(try folder.text("imgbake/" + OriginList.name).contains("a.html"))
    }
}
