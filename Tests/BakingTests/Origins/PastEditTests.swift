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
        #expect(second[1].pieces == [PastEdit.Piece(offset: 7, length: 5, old: "123")])
        #expect(second[1].images[0].offset == 7)
        #expect(second.undone(in: end) == Array("ab123cd".utf8))
        #expect(second[1].digest == PastEdit.digest(of: Array("LOCAL".utf8)[...]))
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

    private func past(
        _ text: String, offset: Int, _ pieces: [PastEdit.Piece], url: String = "https://h/a.png"
    ) -> PastEdit {
        var edit = PastEdit(
            digest: "",
            images: [
                PastEdit.Image(file: "a-0123456789abcdef.webp", offset: offset, url: url)
            ], pieces: pieces, settings: "")
        edit.digest = PastEdit.digest(of: Array(text.utf8)[edit.range])
        return edit
    }

    private func url(_ old: String = "https://h/a.png", at offset: Int = 10) -> PastEdit {
        let text = String(repeating: " ", count: offset) + local
        let piece = PastEdit.Piece(offset: offset, length: local.utf8.count, old: old)
        return past(text, offset: offset, [piece], url: old)
    }

    private func restored(
        _ text: String, own: [PastEdit] = [], others: [PastEdit] = []
    ) -> (text: String, left: Int) {
        let bytes = Array(text.utf8)
        let search = PastSearch(bytes, own: own, others: { _ in others }) {
            extract($0, kind: .html, options: ExtractionOptions())
        }
        let result = search.edits.undone(in: bytes) ?? []
        return (String(decoding: result, as: UTF8.self), search.left.count)
    }

    @Test func findsUrlAtAnotherPlace() {
        let text = "<p>new</p><img src='\(local)'><img alt=x src=\(local)>"
        let (result, left) = restored(text, own: [url()])
        #expect(result == text.replacing(local, with: "https://h/a.png"))
        #expect(left == 0)
    }

    @Test func urlWithAnotherPathIsPutBackInTheNotationOfItsPlace() {
        for (old, new) in [("&y=2", "&y=2"), ("&amp;y=2", "&amp;y=2"), ("'\"'", "'%22'")] {
            var edit = url("https://h/a.png?x=1" + old)
            edit.images[0].url = "https://h/a.png?x=1" + old.replacing("amp;", with: "")
            let (result, left) = restored("<img src=\"../\(local)\">", own: [edit])
            #expect(result == "<img src=\"https://h/a.png?x=1\(new)\">")
            #expect(left == 0)
        }
    }

    @Test func takesChangesOfOtherDocuments() {
        let (result, left) = restored("<img src=\(local)>", others: [url()])
        #expect(result == "<img src=https://h/a.png>")
        #expect(left == 0)
    }

    @Test func twoOriginsAreNotCertain() {
        let text = "<img src=\(local)>"
        for (own, others) in [
            ([url(), url("https://h/a.png?v=2")], []), ([], [url(), url("https://i/a.png")]),
        ] as [([PastEdit], [PastEdit])] {
            let (result, left) = restored(text, own: own, others: others)
            #expect(result == text)
            #expect(left == 1)
        }
        #expect(restored(text, own: [url()], others: [url("https://i/a.png")]).left == 0)
    }

    @Test func claimsAreRestoredOnlyWithTheTextBetween() {
        let source = "<source type=\"image/webp\" srcset=\"\(local)\">"
        let pieces = [
            PastEdit.Piece(offset: 14, length: 10, old: "image/png"),
            PastEdit.Piece(offset: 34, length: local.utf8.count, old: "https://h/a.png"),
        ]
        let edit = past(source, offset: 34, pieces)
        let page = "<p>é</p><picture>\(source)<img src=x></picture>"
        let (result, left) = restored(page, own: [edit])
        #expect(
            result
                == "<p>é</p><picture><source type=\"image/png\" srcset=\"https://h/a.png\"><img src=x></picture>"
        )
        #expect(left == 0)
        let changed = page.replacing(" srcset", with: " media=all srcset")
        #expect(restored(changed, own: [edit]).text == changed)
        #expect(restored(changed, own: [edit]).left == 1)
    }

    /// A change that has also added a width after the URL.
    private func withWidth(at offset: Int) -> PastEdit {
        let text = String(repeating: " ", count: offset) + local + "\" width=\"9\""
        return past(
            text, offset: offset,
            [
                PastEdit.Piece(
                    offset: offset, length: local.utf8.count, old: "https://h/a.png", new: local),
                PastEdit.Piece(
                    offset: offset + local.utf8.count + 1, length: 10, old: "",
                    new: " width=\"9\""),
            ])
    }

    @Test func longestChangeAtAPlaceIsUndone() {
        let text = "<p>new</p><img src=\"\(local)\" width=\"9\"><img src=\"\(local)\" alt=x>"
        let (result, left) = restored(text, own: [withWidth(at: 10), url(at: 90)])
        #expect(
            result == "<p>new</p><img src=\"https://h/a.png\"><img src=\"https://h/a.png\" alt=x>")
        #expect(left == 0)
    }

    @Test func piecesAreFoundInAnEditedElement() {
        let text = "<p>new</p><img src=\"\(local)\" class=a width=\"9\">"
        let (result, left) = restored(text, own: [withWidth(at: 10)])
        #expect(result == "<p>new</p><img src=\"https://h/a.png\" class=a>")
        #expect(left == 0)
    }

    @Test func claimThatWouldStandAfterTheEndIsNotCertain() {
        let text = "<img src=\"\(local)\">"
        var edit = withWidth(at: 10)
        edit.pieces[1] = PastEdit.Piece(offset: 500, length: 4, old: "800w", new: "640w")
        let (result, left) = restored(text, own: [edit])
        #expect(result == text)
        #expect(left == 1)
    }

    @Test(arguments: ["../", "/", "https://cdn.example.org/"])
    func changeIsNotFoundInALongerURL(folder: String) {
        let text = "<img src=\"\(folder)\(local)\" width=\"9\">"
        let (result, left) = restored(text, own: [withWidth(at: 10)])
        #expect(result == text)
        #expect(left == 1)
    }

    @Test func referencesToEqualFilesGetTheirURLsByOrder() {
        let text = "<p>new</p><img src=\"\(local)\"><img src=\"\(local)\">"
        let (result, left) = restored(text, own: [url(at: 10), url("https://h/b.png", at: 90)])
        #expect(
            result == "<p>new</p><img src=\"https://h/a.png\"><img src=\"https://h/b.png\">")
        #expect(left == 0)
    }

    /// In quadratic time, this would take minutes.
    @Test(.timeLimit(.minutes(1))) func pageOfManyEqualImagesIsRestored() {
        let count = 2_000
        let text = "<p>new</p>" + String(repeating: "<img src='\(local)'>", count: count)
        let step = local.utf8.count + 12
        let (result, left) = restored(text, own: (0..<count).map { url(at: $0 * step) })
        #expect(result == text.replacing(local, with: "https://h/a.png"))
        #expect(left == 0)
    }

    @Test func otherTextIsNotTouched() {
        let text = "<pre>\(local)</pre><a href=\(local)>x</a>"
        #expect(restored(text, own: [url()]).text == text)
    }
}
