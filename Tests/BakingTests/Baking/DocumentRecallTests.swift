import Documents
import FetchCache
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Records
@testable import Reports
@testable import Sites

/// Documents that are remembered: damaged, hostile and by their keys.
@Suite(.timeLimit(.minutes(10))) struct DocumentRecallTests {
    private func image(
        _ url: String = "https://h/a.png", file: String = "a-0123456789abcdef.webp"
    ) -> BakedImage {
        BakedImage(
            url: url, options: VariantOptions(), sourceDigest: .ofNoBytes,
            sourceByteCount: 7,
            fileName: file, byteCount: 5, format: .webp, width: 3, height: 2,
            original: .init(format: .png, width: 30, height: 20))
    }

    @Test(
        arguments: [
            (0, 0, true), (.max - 1, 1, true), (0, 5, true), (.max, 1, false), (1, .max, false),
            (-1, 1, false), (1, -1, false), (.min, 0, false),
        ] as [(Int, Int, Bool)])
    func rangeOfASpliceMustBePossible(offset: Int, length: Int, isPossible: Bool) {
        var splice = Splice(range: 0..<0, text: "x")
        (splice.offset, splice.length) = (offset, length)
        let document = BakedDocument(edits: [Edit(splices: [splice])])
        #expect((remembered(document) == document) == isPossible)
    }

    @Test(
        arguments: [
            (0, 0, true), (0, 1, true), (0, nil, true), (1, 0, false), (-1, 0, false),
            (0, 2, false),
            (0, -1, false),
        ] as [(Int, Int?, Bool)])
    func placeOfAnImageMustBePossible(splice: Int, offset: Int?, isPossible: Bool) {
        let image = Edit.Image(url: "a", replacement: "x", splice: splice, offset: offset)
        let edit = Edit(splices: [Splice(range: 0..<1, text: "x")], images: [image])
        let document = BakedDocument(edits: [edit])
        #expect((remembered(document) == document) == isPossible)
    }

    @Test(arguments: [-1, .max, .min]) func countsMustBePossible(count: Int) {
        #expect(remembered(BakedDocument(referenceCount: count)) == nil)
        var document = BakedDocument()
        document.kept.add(KeptReason(.oneFile, .size), count)
        #expect(remembered(document) == nil)
        document = BakedDocument()
        document.kept.add(unmeasured: "p", count)
        #expect(remembered(document) == nil)
    }

    private static let wrong: [@Sendable (inout BakedImage) -> Void] = [
        { $0.sourceByteCount = 0 }, { $0.sourceByteCount = .max }, { $0.byteCount = -1 },
        { $0.byteCount = .max }, { $0.width = -1 }, { $0.width = .max }, { $0.height = -1 },
        { $0.height = .max }, { $0.original.width = -1 }, { $0.original.width = .max },
        { $0.original.height = -1 }, { $0.original.height = .max }, { $0.quality = 0 },
        { $0.quality = 101 }, { $0.quality = -1 },
        { $0.format = .png }, { $0.fileName = "../\($0.fileName)" },
        { $0.note = ImageNote(.svgSanitised, "\u{1B}[2J") }, { $0.loading?.colour = -1 },
        { $0.loading?.colour = .max }, { $0.loading?.base64 = "<" }, { $0.loading?.base64 = "" },
        { $0.smaller[0].width = 0 }, { $0.smaller[0].height = .max },
        { $0.smaller[0].byteCount = 0 }, { $0.smaller[0].fileName = "a.webp" },
        { $0.alternatives[0].format = .svg }, { $0.alternatives[0].quality = 101 },
    ]

    @Test(arguments: wrong.indices) func eachFieldOfAnImageMustBePossible(index: Int) {
        var image = image()
        image.loading = LoadingPicture(colour: 0, base64: "UklGRg==")
        let file = VariantFile(
            fileName: "b-0123456789abcdef.webp", byteCount: 5, format: .webp, width: 3, height: 2)
        (image.smaller, image.alternatives) = ([file], [file])
        #expect(remembered(BakedDocument(images: [image]))?.images == [image])
        Self.wrong[index](&image)
        #expect(remembered(BakedDocument(images: [image])) == nil)
    }

    @Test func placeholdersAndMeasuredPlacesAreToldApart() {
        var one = image()
        one.loading = LoadingPicture(colour: 0, base64: "UklGRg==")
        var document = BakedDocument(images: [one])
        document.kept.add(unmeasured: "body > p > img", 3)
        let read = remembered(document)
        #expect(read == document)
        #expect(read?.images.first?.loading == one.loading)
        #expect(read?.kept.unmeasured == ["body > p > img": 3])
    }

    @Test func readsAnyBytesWithoutCrash() throws {
        var document = BakedDocument(referenceCount: 1, images: [image()])
        document.edits = [Edit(splices: [Splice(range: 1..<4, text: "X")])]
        let row = try #require(Memory.encoded(document))
        for _ in 0..<3_000 {
            var bytes = row
            for _ in 0..<Int.random(in: 1...3) {
                bytes[.random(in: bytes.indices)] =
                    Array(#"0123456789-eE"[]{},:x"#.utf8).randomElement() ?? 0
            }
            guard let document = Memory<BakedDocument>.decoded(bytes[...]) else { continue }
            for splice in document.edits.splices { #expect(splice.range.lowerBound >= 0) }
            _ = apply(document.edits.splices, to: Array("short".utf8))
        }
    }

    @Test func refusesSplicesBeyondDocument() throws {
        for ranges in [[9..<10], [0..<99], [2..<4, 1..<3]] {
            let splices = ranges.map { Splice(range: $0, text: "x") }
            #expect(apply(splices, to: Array("short".utf8)) == nil, "\(ranges)")
        }
        let splice = Splice(range: 1..<4, text: "X")
        #expect(apply([splice], to: Array("short".utf8)) == Array("sXt".utf8))
    }

    @Test func findsDocumentByDigestAndPlan() async throws {
        let site = try BakeFolder()
        let document = BakedDocument(referenceCount: 2, images: [image()])
        let key = DocumentStore.Key(digest: "d", plan: "p", build: "b")
        for _ in 0..<2 {
            let cache = try FetchManager(site.options().fetching)
            let store = DocumentStore(cache: cache)
            if try await store.recall(key) == nil { try await store.remember(document, key) }
            #expect(try await store.recall(key) == document)
            for other in [
                DocumentStore.Key(digest: "e", plan: "p", build: "b"),
                .init(digest: "d", plan: "q", build: "b"),
                .init(digest: "", plan: "d|p", build: "b"),
                .init(digest: "d", plan: "p", build: "c"),
            ] {
                #expect(try await store.recall(other) == nil)
            }
        }
    }
}
