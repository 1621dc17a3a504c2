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

    @Test func isReadAsItWasStored() {
        #expect(remembered(document) == document)
        #expect(remembered(BakedDocument()) == BakedDocument())
    }

    /// A text of a document can be anything.
    @Test(arguments: ["../é \"x\"", "a\tb", "a\nb", "\u{1}", "\u{FFFD}", "</script>\\", ""])
    func anyTextIsReadAsItWasStored(text: String) {
        var document = document
        document.images[0].url = text
        document.edits = [
            Edit(
                splices: [Splice(range: 4..<9, text: text), Splice(range: 12..<12, text: text)],
                images: [Edit.Image(url: text, replacement: text, splice: 1, offset: 0)],
                smaller: [text]),
            Edit(
                splices: [Splice(range: 20..<40, text: "")],
                images: [Edit.Image(url: text, replacement: text, splice: 0, offset: nil)]),
        ]
        #expect(remembered(document) == document)
    }

    @Test func ignoresTruncatedOrDamagedRow() throws {
        let row = try #require(Memory.encoded(document))
        for length in row.indices {
            #expect(Memory<BakedDocument>.decoded(row.prefix(length)) == nil, "\(length)")
        }
        for index in row.indices where #"{}[]:,"#.utf8.contains(row[index]) {
            var damaged = row
            damaged[index] = UInt8(ascii: "\n")
            #expect(Memory<BakedDocument>.decoded(damaged[...]) != document, "\(index)")
        }
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
