import Documents
import FetchCache
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
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

    private func decoded(_ text: String) -> BakedDocument? {
        BakedDocument(encoded: Array(text.utf8))
    }

    @Test(arguments: [
        "1\ns\t0\t0\tx", "0", "1\ns\t9223372036854775806\t1\tx",
        "1\ns\t0\t5\t", "1\ns\t0\t1\té\u{FFFD}",
    ])
    func readsWellFormedLines(text: String) {
        #expect(decoded(text) != nil)
    }

    @Test(arguments: [
        "1\ns\t9223372036854775807\t1\tx", "1\ns\t1\t9223372036854775807\tx",
        "1\ns\t-1\t1\tx", "1\ns\t1\t-1\tx", "1\ns\t1\tx", "1\ns\t1\t1\tx\ty", "1\ns",
        "1\ns\t1\t99999999999999999999\tx", "1\n\ns\t0\t0\tx", "1\nx\t0\t0\tx", "1\r\n", " 1",
        "99999999999999999999", "9223372036854775807", "-1", "1\n\t\t\t", "\n1", "\t",
        "1\ns\t0x1\t0\tx", "1\ns\t 1\t0\tx",
    ])
    func refusesMalformedLines(text: String) {
        #expect(decoded(text) == nil)
    }

    @Test func eachFieldOfAnImageMustBeValid() throws {
        let line = String(
            decoding: BakedDocument(images: [image()]).encoded(), as: UTF8.self)
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        #expect(fields.count == 17)
        // Options, a digest, numbers and formats; the others are any texts.
        for index in [2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13] {
            for wrong in ["", "x", "1e3", "{}", "\u{0}"] {
                var damaged = fields
                damaged[index] = wrong
                #expect(decoded(damaged.joined(separator: "\t")) == nil, "\(index) \(wrong)")
            }
        }
        for wrong in ["x", "0", "101", "-1", "1e1"] {
            let damaged = fields.dropLast() + [wrong]
            #expect(decoded(damaged.joined(separator: "\t")) == nil, "\(wrong)")
        }
        #expect(decoded(fields.joined(separator: "\t"))?.images == [image()])
    }

    @Test func placeholdersAndMeasuredPlacesAreToldApart() {
        var one = image()
        one.loading = LoadingPicture(colour: 0, base64: "UklGRg==")
        var document = BakedDocument(images: [one])
        document.kept.add(unmeasured: "body > p > img", 3)
        let read = BakedDocument(encoded: document.encoded())
        #expect(read == document)
        #expect(read?.images.first?.loading == one.loading)
        #expect(read?.kept.unmeasured == ["body > p > img": 3])
    }

    @Test func ratioOfFurtherFilesIsRemembered() {
        var images = [image(), image("https://h/b.png"), image("https://h/c.png")]
        images[1].ratio = 0.5
        images[2].ratio = 0.5
        images[2].widths = [320, 640]
        let document = BakedDocument(images: images)
        #expect(BakedDocument(encoded: document.encoded()) == document)
        for wrong in ["", "0", "-1", "1.1", "nan", "x"] {
            let text = String(decoding: BakedDocument(images: images).encoded(), as: UTF8.self)
            #expect(decoded(text.replacing("r\t0.5", with: "r\t\(wrong)")) == nil, "\(wrong)")
        }
        #expect(decoded("0\nr\t0.5") == nil)
    }

    @Test(arguments: ["a\tb", "a\nb", "a\ni\tb", "\n", "\t"])
    func fieldsWithLineBreaksNeverChangeDocument(text: String) {
        for document in [
            BakedDocument(images: [image(text)]), BakedDocument(images: [image(file: text)]),
        ] {
            let encoded = document.encoded()
            let read = BakedDocument(encoded: encoded)
            #expect(encoded.isEmpty || read == nil || read == document)
        }
    }

    @Test func readsAnyBytesWithoutCrash() {
        var generator = SystemRandomNumberGenerator()
        let pieces: [[UInt8]] = [
            Array("1".utf8), [0x0A], [0x09], Array("s".utf8), Array("i".utf8), [0xFF], [0],
            Array("-".utf8), Array("99999999999".utf8), Array("{".utf8), Array("webp".utf8),
        ]
        for _ in 0..<3_000 {
            let count = Int.random(in: 0...40, using: &generator)
            let bytes = (0..<count).flatMap { _ in pieces.randomElement(using: &generator) ?? [] }
            guard let document = BakedDocument(encoded: bytes) else { continue }
            for splice in document.edits.splices {
                #expect(splice.offset >= 0 && splice.length >= 0)
            }
        }
    }

    @Test func refusesSplicesBeyondDocument() throws {
        for text in ["1\ns\t9\t1\tx", "1\ns\t0\t99\tx", "1\ns\t2\t2\tx\ns\t1\t2\ty"] {
            let document = try #require(decoded(text))
            #expect(apply(document.edits.splices, to: Array("short".utf8)) == nil, "\(text)")
        }
        let document = try #require(decoded("1\ns\t1\t3\tX"))
        #expect(apply(document.edits.splices, to: Array("short".utf8)) == Array("sXt".utf8))
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

    @Test func keepsOldEntryIfNewOneCannotBeEncoded() async throws {
        let site = try BakeFolder()
        let cache = try FetchManager(site.options().fetching)
        let store = DocumentStore(cache: cache)
        let key = DocumentStore.Key(digest: "d", plan: "p", build: "b")
        try await store.remember(BakedDocument(referenceCount: 1), key)
        let broken = BakedDocument(
            edits: [Edit(splices: [Splice(range: 0..<1, text: "a\nb")])])
        try await store.remember(broken, key)
        #expect(try await store.recall(key) == BakedDocument(referenceCount: 1))
    }
}
