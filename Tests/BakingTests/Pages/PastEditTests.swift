import Documents
import Testing

@testable import Baking
@testable import Pages

/// What is recorded about a bake in place undoes it.
@Suite struct PastEditTests {
    private func edit(_ range: Range<Int>, _ text: String, url: String = "https://h/a.png") -> Edit
    {
        Edit(
            splices: [Splice(range: range, text: text)],
            images: [
                Edit.Image(
                    url: url, replacement: "imgbake/a-0123456789abcdef.webp", splice: 0, offset: 0)
            ])
    }

    private func record(
        _ edits: [Edit], of text: String, after kept: [PastEdit] = []
    ) throws -> (edits: [PastEdit], result: [UInt8]) {
        let bytes = Array(text.utf8)
        let result = try #require(apply(edits.splices, to: bytes))
        return ([PastEdit](edits, of: bytes, after: kept, result: result, settings: ""), result)
    }

    /// Random edits of a text, each with one or two splices.
    private func randomEdits(of count: Int) -> [Edit] {
        var splices: [Splice] = []
        var offset = 0
        while true {
            offset += Int.random(in: 0...6)
            let length = Int.random(in: 0...4)
            guard offset + length <= count else { break }
            let text = String("uvwxyz".shuffled().prefix(Int.random(in: 0...5)))
            splices.append(Splice(range: offset..<offset + length, text: text))
            // Two insertions at one place would be one.
            offset += max(length, 1)
        }
        var edits: [Edit] = []
        for splice in splices {
            if let last = edits.indices.last, Bool.random(), edits[last].splices.count == 1 {
                edits[last].splices.append(splice)
            } else {
                edits.append(
                    Edit(
                        splices: [splice],
                        images: [
                            Edit.Image(
                                url: "https://h/a.png", replacement: "a-0123456789abcdef.webp",
                                splice: 0, offset: 0)
                        ]))
            }
        }
        return edits
    }

    @Test func severalBakesAreUndoneByteForByte() throws {
        for _ in 0..<2_000 {
            var text = String(
                (0..<Int.random(in: 0...40)).map { _ in "abcd".randomElement() ?? "a" })
            var past: [PastEdit] = []
            for _ in 0..<3 {
                let before = past.undone(in: Array(text.utf8))
                let edits = randomEdits(of: text.utf8.count)
                let (next, result) = try record(edits, of: text, after: past)
                #expect(next.undone(in: result) == before, "\(text) \(edits)")
                (past, text) = (next, String(decoding: result, as: UTF8.self))
            }
        }
    }

    @Test func editsKeepTheirPlacesAfterOthers() throws {
        let (first, result) = try record([edit(2..<5, "LOCAL")], of: "ab123cd")
        let text = String(decoding: result, as: UTF8.self)
        let (second, end) = try record([edit(0..<1, "longer")], of: text, after: first)
        #expect(second.count == 2)
        #expect(String(decoding: end, as: UTF8.self) == "longerbLOCALcd")
        #expect(second[1].ranges == [7..<12])
        #expect(second[1].places.map(\.offset) == [7])
        #expect(second.undone(in: end) == Array("ab123cd".utf8))
        #expect(second[1].text == "LOCAL")
    }

    @Test(arguments: [
        "https://h/a.png?X-Amz-Expires=9&X-Amz-Signature=0123456789abcdef0123456789abcdef",
        "https://user:0123456789abcdef@h/a.png", "a.png?password=0123456789abcdef0123456789abcdef",
        "//h/a.png?pass\nword=0123456789abcdef0123456789abcdef",
        "https://h/a.png#exp=1700000000&access_token=0123456789abcdef0123456789abcdef",
    ])
    func secretsAreNotStored(url: String) throws {
        let text = "x \(url.replacing("&", with: "&amp;")) y"
        let range = 2..<(text.utf8.count - 2)
        let (past, result) = try record([edit(range, "local", url: url)], of: text)
        #expect(past.map(\.isHidden) == [true])
        let line = OriginList.Line(PastDocument(document: "a", edits: past, sha256: ""))
        #expect(!String(decoding: line.bytes, as: UTF8.self).contains("0123456789abcdef0"))
        #expect(!String(decoding: line.bytes, as: UTF8.self).contains(":0123456789abcdef@"))
        #expect(past.undone(in: result) == result)
    }
}

/// Changes are found again in a document that was edited since.
@Suite struct PastSearchTests {
    private let local = "imgbake/a-0123456789abcdef.webp"

    /// The changes that turned one document into another.
    private func changes(
        _ old: String, _ parts: [[(String, String)]], url: String = "https://h/a.png"
    ) throws -> [PastEdit] {
        let bytes = Array(old.utf8)
        var end = 0
        let edits = try parts.map { parts in
            let splices = try parts.map { old, new in
                let range = try #require(bytes[end...].firstRange(of: old.utf8))
                end = range.upperBound
                return Splice(range: range, text: new)
            }
            let index = try #require(splices.firstIndex { $0.text == local })
            return Edit(
                splices: splices,
                images: [.init(url: url, replacement: local, splice: index, offset: 0)])
        }
        let result = try #require(apply(edits.splices, to: bytes))
        return [PastEdit](edits, of: bytes, after: [], result: result, settings: "")
    }

    private func url(_ text: String, _ url: String = "https://h/a.png") throws -> [PastEdit] {
        try changes(text, [[(url, local)]], url: url)
    }

    /// The restored document, and the number of images that are left.
    private func restored(
        _ text: String, own: [PastEdit] = [], others: [PastEdit] = []
    ) -> (text: String, left: Int) {
        let bytes = Array(text.utf8)
        let edits = PastSearch(bytes, own: own, others: { _ in others }) {
            extract($0, kind: .html, options: ExtractionOptions())
        }.edits
        let left = [UnknownOrigin](besides: edits, { _ in own + others }, in: bytes)
        let result = edits.undone(in: bytes) ?? []
        return (String(decoding: result, as: UTF8.self), left.count)
    }

    @Test func findsUrlAtAnotherPlace() throws {
        let text = "<p>new</p><img src='\(local)'><img alt=x src=\(local)>"
        let (result, left) = restored(text, own: try url("<img src='https://h/a.png'>"))
        // There are more images than the bake has left; all are from the same URL.
        #expect(result == text.replacing(local, with: "https://h/a.png"))
        #expect(left == 0)
    }

    @Test(arguments: ["", "../", "../../static/"])
    func urlWithAnotherPathIsPutBack(folder: String) throws {
        let url = "https://h/a.png?x=1&y=2"
        let past = try changes(
            "<img src=\"https://h/a.png?x=1&amp;y=2\">",
            [[("https://h/a.png?x=1&amp;y=2", local)]], url: url)
        let (result, left) = restored("<img class=a src=\"\(folder)\(local)\">", others: past)
        #expect(result == "<img class=a src=\"https://h/a.png?x=1&amp;y=2\">")
        #expect(left == 0)
    }

    @Test func urlIsPutBackInTheNotationOfItsPlace() throws {
        let url = "https://h/a.png?x=1&y=2"
        let text = "<style>a { background: url(\(local)) }</style>"
        let past = try changes(
            "<img src=\"https://h/a.png?x=1&amp;y=2\">",
            [[("https://h/a.png?x=1&amp;y=2", local)]], url: url)
        let (result, left) = restored(text, others: past)
        #expect(result.contains("url(\(url))"))
        #expect(left == 0)
    }

    @Test func twoOriginsAreNotCertain() throws {
        let text = "<p>new</p><img src=\(local)>"
        let one = try url("<img src=https://h/a.png>")
        let two = try url("<img src=https://i/a.png>", "https://i/a.png")
        for (own, others) in [(one + two, []), ([], one + two)] as [([PastEdit], [PastEdit])] {
            let (result, left) = restored(text, own: own, others: others)
            #expect(result == text)
            #expect(left == 1)
        }
        #expect(restored(text, own: one, others: two).left == 0)
        // One of two was copied from anywhere.
        #expect(restored(text + text, own: one, others: two).left == 2)
    }

    @Test func tagsOfEqualFilesAreToldApart() throws {
        let one = try url("<img alt=1 src=https://h/a.png>")
        let two = try url("<img alt=2 src=https://i/a.png>", "https://i/a.png")
        let text = "<p>new</p><img alt=2 src=\(local)><img alt=1 src=\(local)>"
        let (result, left) = restored(text, own: one + two)
        #expect(
            result == "<p>new</p><img alt=2 src=https://i/a.png><img alt=1 src=https://h/a.png>")
        #expect(left == 0)
    }

    private let source =
        "<source type=\"image/png\" srcset=\"https://h/a.png\" data-imgbake-quality=60>"

    private func typed() throws -> [PastEdit] {
        try changes(
            source,
            [
                [
                    ("image/png", "image/webp"), ("https://h/a.png", local),
                    (" data-imgbake-quality=60", ""),
                ]
            ])
    }

    @Test(arguments: ["", " media=all", " class='a > b'"])
    func attributesOfAnEditedTagComeBack(added: String) throws {
        let baked = "<source type=\"image/webp\" srcset=\"\(local)\">"
        let page = "<p>é</p><picture>\(baked)<img src=x></picture>"
        let text = page.replacing(" srcset", with: added + " srcset")
        let (result, left) = restored(text, own: try typed())
        #expect(
            result
                == text.replacing(
                    baked.replacing(" srcset", with: added + " srcset"),
                    with: source.replacing(" srcset", with: added + " srcset")))
        #expect(left == 0)
    }

    @Test func editedClaimIsNotCertain() throws {
        let text =
            "<picture><source type=\"image/x\" srcset=\"\(local)\"><img src=x></picture>"
        let (result, left) = restored(text, own: try typed())
        #expect(result == text)
        #expect(left == 1)
    }

    @Test func imageThatMayHaveHadAttributesIsNotCertain() throws {
        let plain = try url("<img src=\"https://h/a.png\">")
        let removed = try changes(
            "<img src=\"https://h/a.png\" data-imgbake-quality=60>",
            [[("https://h/a.png", local), (" data-imgbake-quality=60", "")]])
        let text = "<p>new</p><img src=\"\(local)\" alt=x>"
        let (result, left) = restored(text, own: plain + removed)
        #expect(result == text)
        #expect(left == 1)
    }

    @Test func whatIsMoreInTheTextTellsTheChange() throws {
        let plain = try url("<img src=\"https://h/a.png\">")
        let lazy = try changes(
            "<img src=\"https://h/a.png\" !>",
            [[("https://h/a.png", local), ("!", "loading=lazy")]])
        let text =
            "<p>new</p><img src=\"\(local)\" loading=lazy alt=x><img src=\"\(local)\" alt=x>"
        let (result, left) = restored(text, own: plain + lazy)
        let url = "https://h/a.png"
        #expect(result == "<p>new</p><img src=\"\(url)\" ! alt=x><img src=\"\(url)\" alt=x>")
        #expect(left == 0)
    }

    @Test func halfOfAnAddedElementIsNotRemoved() throws {
        let past = try changes(
            "<img src=\"https://h/a.png\">!",
            [[("https://h/a.png", local), ("!", "</picture>")]])
        let text = "<p>new</p><img src=\"\(local)\">"
        let (result, left) = restored(text, own: past)
        #expect(result == text)
        #expect(left == 1)
    }

    @Test(arguments: ["https://cdn.example.org/", "//h/"])
    func fileOnAnotherHostIsOfTheAuthor(folder: String) throws {
        let text = "<img src=\"\(folder)\(local)\" alt=x>"
        let removed = try changes(
            "<img src=\"https://h/a.png\" data-imgbake-quality=60>",
            [[("https://h/a.png", local), (" data-imgbake-quality=60", "")]])
        let (result, left) = restored(text, own: removed)
        #expect(result == text)
        #expect(left == 1)
    }

    /// In quadratic time, this would take minutes.
    @Test(.timeLimit(.minutes(1))) func pageOfManyEqualImagesIsRestored() throws {
        let count = 2_000
        let old = String(repeating: "<img src='https://h/a.png'>", count: count)
        let past = try changes(
            old, [[(String, String)]](repeating: [("https://h/a.png", local)], count: count))
        let text = "<p>new</p>" + old.replacing("https://h/a.png", with: local)
        let (result, left) = restored(text, own: past)
        #expect(result == "<p>new</p>" + old)
        #expect(left == 0)
    }

    @Test func otherTextIsNamedAndNotTouched() throws {
        let text = "<pre>\(local)</pre><a href=\(local)>x</a><!-- <img src='\(local)'> -->"
        let (result, left) = restored(text, own: try url("<img src='https://h/a.png'>"))
        #expect(result == text)
        #expect(left == 3)
    }
}
