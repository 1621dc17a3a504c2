import Testing

@testable import Baking
@testable import Pictures
@testable import Reports
@testable import Sites

/// The form of `imgbake.lock`.
struct LockfileTests {
    private let digests = ["a", "b", "c"].map { String(repeating: $0, count: 64) }

    private func image(_ url: String, _ index: Int = 0, bytes: Int = 10) -> Lockfile.Image {
        Lockfile.Image(
            url: url, sha256: digests[index], bytes: bytes, mediaType: "image/png")
    }

    private func text(_ lines: String...) -> [UInt8] {
        Array((["{\"imgbake-lock\":1}"] + lines).map { $0 + "\n" }.joined().utf8)
    }

    private func line(_ url: String, _ index: Int = 0) -> String {
        #"{"url":"\#(url)","sha256":"\#(digests[index])","bytes":10,"mediaType":"image/png"}"#
    }

    @Test func hasOneSortedLineForEachURL() {
        let lockfile = Lockfile([image("https://h/b.png", 1), image("https://h/a.png")])
        #expect(
            lockfile.encoded == text(line("https://h/a.png"), line("https://h/b.png", 1)))
    }

    @Test func readsWhatItWrites() throws {
        let odd = image("https://h/\"quoted\"\\?x=ü", 2, bytes: 0)
        let lockfile = Lockfile([image("https://h/b.png", 1), odd])
        #expect(try Lockfile(parsing: lockfile.encoded) == lockfile)
    }

    /// Both sides of a merge can be kept as they are.
    @Test func orderAndEqualLinesDoNotMatter() throws {
        let merged = text(
            line("https://h/c.png"), line("https://h/a.png", 1), line("https://h/c.png"))
        let lockfile = try Lockfile(parsing: merged)
        #expect(lockfile.images.keys.sorted() == ["https://h/a.png", "https://h/c.png"])
        #expect(lockfile.lines == ["https://h/c.png": 4, "https://h/a.png": 3])
    }

    struct Fault: CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var line: Int
    }

    private static let good =
        #"{"url":"https://h/a.png","sha256":""# + String(repeating: "a", count: 64)
        + #"","bytes":10,"mediaType":"image/png"}"#

    private static let faults = [
        Fault(testDescription: "empty", text: "", line: 1),
        Fault(testDescription: "other file", text: "lock: 1\n", line: 1),
        Fault(testDescription: "no heading", text: good + "\n", line: 1),
        Fault(testDescription: "newer version", text: "{\"imgbake-lock\":2}\n", line: 1),
        Fault(
            testDescription: "conflict",
            text: "{\"imgbake-lock\":1}\n<<<<<<< ours\n\(good)\n=======\n>>>>>>> theirs\n", line: 2),
        Fault(
            testDescription: "cut line",
            text: "{\"imgbake-lock\":1}\n\(good)\n\(good.dropLast(20))", line: 3),
        Fault(
            testDescription: "short hash",
            text: "{\"imgbake-lock\":1}\n" + good.replacing("aaaaaaaa", with: "aaaa"), line: 2),
        Fault(
            testDescription: "negative size",
            text: "{\"imgbake-lock\":1}\n" + good.replacing(":10,", with: ":-10,"), line: 2),
        Fault(
            testDescription: "file URL",
            text: "{\"imgbake-lock\":1}\n" + good.replacing("https://h", with: "file:///h"), line: 2
        ),
        Fault(
            testDescription: "control character",
            text: "{\"imgbake-lock\":1}\n" + good.replacing("a.png", with: #"\u001b.png"#), line: 2),
        Fault(
            testDescription: "two images for one URL",
            text: "{\"imgbake-lock\":1}\n\(good)\n" + good.replacing(":10,", with: ":11,"), line: 3),
    ]

    @Test(arguments: faults) func namesFirstLineThatCannotBeUsed(fault: Fault) throws {
        let error = #expect(throws: LineProblem.self) {
            try Lockfile(parsing: Array(fault.text.utf8))
        }
        #expect(error?.line == fault.line)
        #expect(error?.problem.code == .invalidLockfile)
        #expect(error?.problem.remedy.isEmpty == false)
    }
}
