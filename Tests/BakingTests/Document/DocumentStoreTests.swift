import Documents
import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Records
@testable import Reports

/// The stored result of a document.
struct DocumentStoreTests {
    private var document: BakedDocument {
        var options = VariantOptions(format: .avif, quality: 3, maximumWidth: nil)
        options.isForReaders = true
        let image = BakedImage(
            url: "https://h/a b.png", options: options,
            sourceDigest: .ofNoBytes,
            sourceByteCount: 7,
            fileName: "a-0123456789abcdef.avif", byteCount: 5, format: .avif, width: 3, height: 2,
            original: BakedImage.Original(format: .png, width: 30, height: 20), pixels: 600,
            note: ImageNote(.svgSanitised, "removed from the SVG: 1 script"))
        return BakedDocument(
            referenceCount: 4, images: [image],
            edits: [
                Edit(splices: [Splice(range: 3..<9, text: "imgbake/a-0123456789abcdef.avif")])
            ])
    }

    @Test func roundTrips() {
        #expect(BakedDocument(encoded: document.encoded()) == document)
        #expect(BakedDocument(encoded: BakedDocument().encoded()) == BakedDocument())
    }

    @Test func ignoresTruncatedOrDamagedEntry() {
        let encoded = document.encoded()
        for length in 0..<encoded.count {
            let read = BakedDocument(encoded: Array(encoded.prefix(length)))
            #expect(read != document, "\(length)")
        }
        for index in encoded.indices where encoded[index] == UInt8(ascii: "\t") {
            var damaged = encoded
            damaged[index] = UInt8(ascii: "\n")
            #expect(BakedDocument(encoded: damaged) == nil, "\(index)")
        }
    }

    @Test(arguments: ["a\tb", "a\nb", "\u{1}"])
    func doesNotStoreTextsWithLineBreaks(text: String) {
        var document = document
        document.edits = [Edit(splices: [Splice(range: 0..<1, text: text)])]
        #expect(document.encoded().isEmpty)
    }

    @Test func keyContainsEachOption() {
        var keys: Set<String> = [derivedKey(of: VariantOptions())]
        var changed = VariantOptions()
        changed.format = .png
        keys.insert(derivedKey(of: changed))
        changed.quality = 5
        keys.insert(derivedKey(of: changed))
        changed.maximumWidth = nil
        keys.insert(derivedKey(of: changed))
        changed.svg = .refuse
        keys.insert(derivedKey(of: changed))
        changed.isForReaders = true
        keys.insert(derivedKey(of: changed))
        #expect(keys.count == 6)
        #expect(derivedKey(of: changed) == derivedKey(of: changed))
    }
}
