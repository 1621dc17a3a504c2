import Files
import Glibc
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Sites

/// The file in an image folder that says where its images came from.
@Suite struct OriginListTests {
    private func line(_ document: String, _ file: String = "a-0123456789abcdef.webp", sha: Int = 1)
        -> OriginList.Line
    {
        let edit = PastEdit(
            [PastEdit.Piece(offset: 3, length: 4, old: "a\"\n\\b")],
            [PastEdit.Image(file: file, offset: 3, url: "https://h/é \"x\"")], smaller: nil,
            settings: "format=avif", in: Array("abc1234".utf8))
        return OriginList.Line(
            PastDocument(
                document: document, edits: [edit],
                sha256: String(repeating: "\(sha)", count: 64)))
    }

    @Test(arguments: ["../a.md", "../\"q\"\\/é\n.md", "./a:b", "../../content/a b.md"])
    func lineRoundTrips(document: String) throws {
        let line = line(document)
        #expect(!line.bytes.contains(UInt8(ascii: "\n")))
        let read = try #require(OriginList.Line(line.bytes[...]))
        #expect(read == line)
        #expect(read.document == document)
        #expect(read.past?.edits[0].pieces[0].old == "a\"\n\\b")
        for length in 0..<line.bytes.count {
            #expect(OriginList.Line(line.bytes[..<length])?.past == nil)
        }
    }

    @Test(arguments: ["../../etc/passwd", "a.png", "x/a-0123456789abcdef.webp", ".imgbake", ""])
    func fileOutsideOfFolderIsRefused(name: String) throws {
        #expect(line("../a.md", name).past == nil)
        #expect(imageHash(of: name) == nil)
    }

    @Test func updateSortsLines() throws {
        let folder = try TemporaryDirectory()
        let list = OriginList(folder: folder.path)
        #expect(try list.contents().lines.isEmpty)
        try list.update(keepsDamaged: true) { _ in [] }
        #expect(!folder.exists(OriginList.name))
        let (a, b) = (line("../a.md"), line("../b.md", "b-1123456789abcdef.webp"))
        try list.append([b], isSynced: true)
        try list.append([a, line("../a.md", sha: 2)], isSynced: false)
        // A process that is killed leaves half a line.
        try OpenFile(appendingTo: folder.path(OriginList.name)).write(a.bytes.prefix(50))
        #expect(try list.contents().lines == [b, a, line("../a.md", sha: 2)])
        try list.append([b], isSynced: false)
        #expect(try list.contents().lines.count == 4)
        try list.update(keepsDamaged: true) { Array(Set($0)) }
        #expect(try list.contents().lines == [a, line("../a.md", sha: 2), b])
        try list.update(keepsDamaged: true) { _ in [a] }
        #expect(try list.contents().lines == [a])
        try list.update(keepsDamaged: true) { _ in [] }
        #expect(!folder.exists(OriginList.name))
    }

    /// The images of a document that was deleted may be in another one, or come back.
    @Test func changesOfOtherVersionsAndOfMissingDocumentsAreKept() throws {
        let folder = try TemporaryDirectory()
        try folder.write("", to: "images/.keep")
        try folder.write("text", to: "a.md")
        let images = folder.path("images")
        let (old, new) = (
            line("../a.md", sha: 1), line("../a.md", "b-1123456789abcdef.webp", sha: 2)
        )
        let gone = line("../gone.md", "c-2123456789abcdef.webp", sha: 3)
        let kept = OriginList.current([gone, old, new], in: images, without: [], naming: nil)
        #expect(kept.filter { !$0.document.isEmpty } == [new])
        let once = kept.filter(\.document.isEmpty).flatMap { $0.past?.edits ?? [] }
        #expect(
            Set(once.flatMap(\.files)) == ["a-0123456789abcdef.webp", "c-2123456789abcdef.webp"])
        #expect(
            Set(OriginList.current(kept, in: images, without: [], naming: nil)) == Set(kept))
        let named = OriginList.current(
            kept, in: images, without: [], naming: [0x2123_4567_89ab_cdef])
        #expect(named.filter(\.document.isEmpty).flatMap { $0.past?.edits ?? [] }.count == 1)
    }

    @Test func linkIsNotFollowed() throws {
        let folder = try TemporaryDirectory()
        try folder.write("own", to: "notes")
        try folder.write("", to: "images/.keep")
        #expect(symlink("../notes", folder.path("images/" + OriginList.name)) == 0)
        let list = OriginList(folder: folder.path("images"))
        #expect(throws: FileError.self) { try list.append([line("../a")], isSynced: false) }
        #expect(try folder.text("notes") == "own")
    }

    @Test func hashesAreThoseOfWholeNames() {
        let text =
            "a-0123456789abcdef.webp b-0123456789abcdef0.png c0123456789abcdef.gif "
            + "-ffffffffffffffff. x"
        #expect(imageHashes(in: text.utf8) == [0x0123_4567_89ab_cdef, .max])
        #expect(bakedFileName(in: "/x/a-0123456789abcdef.webp?q#f") == "a-0123456789abcdef.webp")
        #expect(bakedFileName(in: "https://h/a%2D0123456789abcdef.gif") == "a-0123456789abcdef.gif")
        #expect(bakedFileName(in: "a-0123456789abcdef.webp/x") == nil)
    }
}
