import Foundation
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

/// The file of measured widths, whose text may be anything.
@Suite struct SizesFileTests {
    private let groups: [SizesFile.Group]

    init() throws {
        groups = [
            SizesFile.Group(
                place: "body > p > img",
                widths: try #require(WidthPieces("(min-width: 900px) 700px, 100vw")),
                stretches: false, error: 0.3),
            SizesFile.Group(
                place: "body > main > img[style=width:50%]",
                widths: try #require(WidthPieces("calc(50vw - 12.5px)")), stretches: true, error: 0),
        ]
    }

    private func problem(_ text: String) -> (line: Int, code: DiagnosticCode)? {
        do throws(LineProblem) {
            _ = try SizesFile(parsing: Array(text.utf8))
            return nil
        } catch {
            return (error.line, error.problem.code)
        }
    }

    @Test func fileIsSortedAndReadable() throws {
        let file = SizesFile(groups)
        #expect(
            String(decoding: file.bytes, as: UTF8.self) == """
                {"imgbake-sizes":1}
                {"error":0,"inset":0,"place":"body > main > img[style=width:50%]","sizes":"calc(50vw - 12.5px)","stretches":true}
                {"error":0.3,"inset":0,"place":"body > p > img","sizes":"(min-width: 900px) 700px, 100vw","stretches":false}

                """)
        #expect(SizesFile(groups.reversed()).bytes == file.bytes)
        #expect(try SizesFile(parsing: file.bytes) == file)
        #expect(try SizesFile(parsing: SizesFile([]).bytes) == SizesFile([]))
        #expect(file.index(of: "body > p > img") == 1)
        #expect(file.index(of: "body > img") == nil)
    }

    @Test func orderAndSpacesOfTheTextDoNotMatter() throws {
        let text = """
            {"imgbake-sizes": 1}
            {"error": 1, "inset": 0, "stretches": false, "sizes": "10px", "place": "b"}

            {"place":"a","sizes":"10px","stretches":false,"inset":0,"error":1}
            """
        #expect(try SizesFile(parsing: Array(text.utf8)).groups.map(\.place) == ["a", "b"])
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"imgbake-sizes\":\"1\"}", "{\"imgbake-sizes\":0}",
        "{\"imgbake-sizes\":2}", "{\"imgbake-lock\":1}", "\u{0}", "{\"imgbake-sizes\":1",
        String(repeating: "[", count: 100_000),
    ])
    func unusableFileHasACodeAndTheFirstLine(text: String) {
        #expect(problem(text)?.line == 1)
        #expect(problem(text)?.code == .invalidSizes)
    }

    @Test func markOfAMergeHasItsLine() {
        #expect(problem("{\"imgbake-sizes\":1}\n\n<<<<<<< HEAD\n")?.line == 3)
    }

    @Test(arguments: [
        ("sizes", "\"50em\""), ("sizes", "\"100vw;x\""), ("sizes", "\"calc(1vw + 1px + 1px)\""),
        ("sizes", "\"(max-width: 9px) 1px, 2px\""), ("sizes", "\"1px, 2px\""), ("sizes", "\"\""),
        ("sizes", "\"(min-width: 9px) 1px\""), ("sizes", "\"1e3px\""), ("sizes", "\"NaNpx\""),
        ("sizes", "\"(min-width: 9px) 1px, (min-width: 10px) 2px, 3px\""), ("sizes", "7"),
        ("sizes", "\"\\\" onload=\\\"x\""), ("error", "-1"), ("inset", "-1"), ("error", "1e300"),
        ("place", "\"\""),
        ("place", "\"a\\u001bb\""), ("place", "\"a\\\"b\""), ("stretches", "1"),
    ])
    func unusableGroupHasItsLine(member: String, value: String) {
        var members = [
            "place": "\"b\"", "sizes": "\"1px\"", "stretches": "true", "inset": "0", "error": "0",
        ]
        members[member] = value
        let bad = members.map { "\"\($0)\": \($1)" }.joined(separator: ",")
        let text = """
            {"imgbake-sizes":1}
            {"place": "a", "sizes": "1px", "stretches": false, "inset": 0, "error": 0}
            {\(bad)}
            """
        #expect(problem(text)?.line == 3)
        #expect(problem(text)?.code == .invalidSizes)
    }

    private func file(_ places: [String]) -> String {
        let groups = places.map { place in
            "{\"place\":\"\(place)\",\"sizes\":\"1px\",\"stretches\":false,\"inset\":0,\"error\":0}\n"
        }
        return "{\"imgbake-sizes\":1}\n" + groups.joined()
    }

    @Test func placeOccursOnce() {
        #expect(problem(file(["a", "b"])) == nil)
        #expect(problem(file(["a", "b", "a"]))?.line == 4)
    }

    @Test func groupsHaveALimit() {
        let places = (0...SizesFile.mostGroups).map { "a\($0)" }
        #expect(problem(file(places.dropLast())) == nil)
        #expect(problem(file(places))?.line == 1)
    }
}

/// Widths as pieces.
@Suite struct WidthPiecesTests {
    @Test(arguments: [
        "100vw", "33.3333vw", "240px", "0px", "calc(100vw - 40px)", "calc(-5vw + 800px)",
        "(min-width: 1200px) 25vw, (min-width: 600px) calc(50vw - 12.5px), 100vw",
    ])
    func textIsReadAsItIsWritten(text: String) {
        #expect(WidthPieces(text)?.text == text)
        #expect(ImageSizes(text) != nil)
    }

    @Test func widthIsThatOfTheLastPieceThatHasBegun() throws {
        let pieces = try #require(WidthPieces("(min-width: 900px) 700px, calc(100vw - 40px)"))
        #expect(pieces.width(in: 899) == 859)
        #expect(pieces.width(in: 900) == 700)
        #expect(pieces.width(in: 20) == 0)
    }

    @Test func limitNeedsNoFunction() throws {
        func limited(_ text: String, _ pixels: Int) -> String? {
            WidthPieces(text)?.limited(to: pixels).text
        }
        #expect(limited("100vw", 800) == "(min-width: 800px) 800px, 100vw")
        #expect(
            limited("(min-width: 900px) 700px, calc(100vw - 40px)", 800)
                == "(min-width: 900px) 700px, (min-width: 840px) 800px, calc(100vw - 40px)")
        #expect(
            limited("(min-width: 900px) 700px, calc(100vw - 40px)", 2000)
                == "(min-width: 900px) 700px, calc(100vw - 40px)")
        #expect(limited("(min-width: 900px) 700px, 500px", 300) == "300px")
        #expect(
            limited("calc(-50vw + 900px)", 500) == "(min-width: 800px) calc(-50vw + 900px), 500px")
        for text in ["(min-width: 700px) calc(50vw + 10px), calc(100vw - 4px)"] {
            let pieces = try #require(WidthPieces(text))
            for window in stride(from: 300.0, to: 2600, by: 13) {
                let exact = min(pieces.width(in: window), 620)
                #expect(abs(pieces.limited(to: 620).width(in: window) - exact) < 1)
            }
        }
    }
}
