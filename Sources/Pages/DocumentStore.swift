package import Documents
package import FetchCache
import FoundationEssentials
import ImageFormats
import Locks
package import Pictures
import Recipes
import Records
package import Reports
import Sites

/// The result of an earlier bake for a document: its images and its edits.
///
/// As long as the document's bytes and the plan are the same and each URL gives the same source,
/// the edits are the same too. The document need not be parsed then.
package struct BakedDocument: Equatable, Sendable {
    /// The number of references in the document that a bake has to handle.
    package var referenceCount = 0
    package var images: [BakedImage] = []
    package var edits: [Edit] = []
    /// The images that get fewer files than the options ask for.
    package var kept = KeptImages()

    /// Whether it must not be remembered, because an image must not be stored.
    package var isNoStore: Bool { images.contains(where: \.isNoStore) }
}

extension BakedDocument {
    /// The document as lines of tab-separated fields.
    ///
    /// A warm bake reads these lines for every document, so the format is the cheapest one to read.
    /// Empty if a field would break its line; the next bake then has to parse the document.
    func encoded() -> [UInt8] {
        var lines = ["\(referenceCount)"]
        for image in images {
            lines.append(
                [
                    "i", image.url, KnownOptions.text(of: image.options), image.sourceDigest.hex,
                    String(image.sourceByteCount), image.fileName,
                    String(image.byteCount), image.format.rawValue, String(image.width),
                    String(image.height), image.original.format.rawValue,
                    String(image.original.width), String(image.original.height),
                    String(image.pixels),
                    image.note?.code.rawValue ?? "", image.note?.reason ?? "",
                    image.quality.map(String.init) ?? "",
                ].joined(separator: "\t"))
            if let loading = image.loading {
                lines.append("l\t\(loading.colour)\t\(loading.base64)")
            }
            if image.ratio != ResponsiveOptions.usualRatio { lines.append("r\t\(image.ratio)") }
            if image.widths.isEmpty, image.formats.isEmpty { continue }
            lines.append((["w"] + image.widths.map(String.init)).joined(separator: "\t"))
            lines.append((["f"] + image.formats.map(\.rawValue)).joined(separator: "\t"))
            lines += image.smaller.map { $0.line("v") } + image.alternatives.map { $0.line("a") }
        }
        lines += kept.counts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "k\t\($0.key.rawValue)\t\($0.value)" }
        lines += kept.usedGroups.sorted().map { "g\t\($0)" }
        lines += kept.unmeasured.sorted { $0.key < $1.key }.map { "p\t\($0.value)\t\($0.key)" }
        for edit in edits {
            let texts =
                edit.splices.map(\.text) + edit.images.flatMap { [$0.url, $0.replacement] }
                + edit.smaller
            guard !texts.contains(where: { $0.utf8.contains { $0 < 0x20 } }) else { return [] }
            lines.append("e")
            for splice in edit.splices {
                lines.append("s\t\(splice.offset)\t\(splice.length)\t\(splice.text)")
            }
            for image in edit.images {
                let offset = image.offset.map(String.init) ?? ""
                lines.append("u\t\(image.splice)\t\(offset)\t\(image.url)\t\(image.replacement)")
            }
            lines += edit.smaller.map { "n\t\($0)" }
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    init?(encoded bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, let count = Int(text(first)),
            (0...Int(Int32.max)).contains(count)
        else { return nil }
        referenceCount = count
        for line in lines.dropFirst() {
            let fields = line.split(
                separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            switch (fields.first?.first, fields.count) {
            case (UInt8(ascii: "i"), 17):
                guard let image = BakedImage(fields.map(text)), image.isPossible else { return nil }
                images.append(image)
            case (UInt8(ascii: "k"), 3):
                guard let reason = KeptReason(rawValue: text(fields[1])),
                    let count = Int(text(fields[2])), (1...Int(Int32.max)).contains(count)
                else { return nil }
                kept.add(reason, count)
            case (UInt8(ascii: "g"), 2):
                guard let group = Int(text(fields[1])) else { return nil }
                kept.usedGroups.insert(group)
            case (UInt8(ascii: "p"), 3):
                guard let count = Int(text(fields[1])), (1...Int(Int32.max)).contains(count) else {
                    return nil
                }
                kept.add(unmeasured: text(fields[2]), count)
            case (UInt8(ascii: "f"), 1...):
                let formats = fields.dropFirst().compactMap { ImageFormat(rawValue: text($0)) }
                guard formats.count == fields.count - 1, !images.isEmpty else { return nil }
                images[images.count - 1].formats = formats
            case (UInt8(ascii: "w"), 1...):
                let widths = fields.dropFirst().compactMap { Int(text($0)) }
                guard widths.count == fields.count - 1, !images.isEmpty else { return nil }
                images[images.count - 1].widths = widths
            case (UInt8(ascii: "r"), 2):
                guard let ratio = Double(text(fields[1])), ratio > 0, ratio <= 1, !images.isEmpty
                else { return nil }
                images[images.count - 1].ratio = ratio
            case (UInt8(ascii: "l"), 3):
                guard let colour = Int(text(fields[1])), !images.isEmpty,
                    let loading = LoadingPicture(colour: colour, base64: text(fields[2]))
                else { return nil }
                images[images.count - 1].loading = loading
            case (UInt8(ascii: "v"), 7), (UInt8(ascii: "a"), 7):
                guard let file = VariantFile(fields.map(text)), !images.isEmpty else { return nil }
                if fields[0].first == UInt8(ascii: "v") {
                    images[images.count - 1].smaller.append(file)
                } else {
                    images[images.count - 1].alternatives.append(file)
                }
            case (UInt8(ascii: "s"), 4):
                guard let offset = Int(text(fields[1])), let length = Int(text(fields[2])),
                    offset >= 0, length >= 0, !offset.addingReportingOverflow(length).overflow
                else { return nil }
                let splice = Splice(range: offset..<offset + length, text: text(fields[3]))
                if edits.isEmpty { edits.append(Edit(splices: [])) }
                edits[edits.count - 1].splices.append(splice)
            case (UInt8(ascii: "e"), 1):
                edits.append(Edit(splices: []))
            case (UInt8(ascii: "n"), 2):
                if edits.isEmpty { return nil }
                edits[edits.count - 1].smaller.append(text(fields[1]))
            case (UInt8(ascii: "u"), 5):
                guard let edit = edits.last, let splice = Int(text(fields[1])),
                    edit.splices.indices.contains(splice)
                else { return nil }
                let offset = Int(text(fields[2]))
                let place = 0...edit.splices[splice].text.utf8.count
                guard offset.map(place.contains) ?? fields[2].isEmpty else { return nil }
                edits[edits.count - 1].images.append(
                    Edit.Image(
                        url: text(fields[3]), replacement: text(fields[4]), splice: splice,
                        offset: offset))
            default:
                return nil
            }
        }
    }
}

extension BakedImage {
    fileprivate init?(_ fields: [String]) {
        guard let options = KnownOptions.options(fields[2]),
            let sourceDigest = BlobDigest(lowercaseHex: fields[3]),
            let sourceByteCount = Int(fields[4]), let byteCount = Int(fields[6]),
            let format = ImageFormat(rawValue: fields[7]), let width = Int(fields[8]),
            let height = Int(fields[9]), let originalFormat = ImageFormat(rawValue: fields[10]),
            let originalWidth = Int(fields[11]), let originalHeight = Int(fields[12]),
            let pixels = Int(fields[13]), isQuality(fields[16])
        else { return nil }
        self.init(
            url: fields[1], options: options, sourceDigest: sourceDigest,
            sourceByteCount: sourceByteCount,
            fileName: fields[5], byteCount: byteCount, format: format, width: width,
            height: height, quality: Int(fields[16]),
            original: Original(
                format: originalFormat, width: originalWidth, height: originalHeight),
            pixels: pixels,
            note: DiagnosticCode(rawValue: fields[14]).map { ImageNote($0, fields[15]) })
    }
}

extension VariantFile {
    /// The file as a line whose first field is `kind`.
    fileprivate func line(_ kind: String) -> String {
        [
            kind, fileName, String(byteCount), format.rawValue, String(width), String(height),
            quality.map(String.init) ?? "",
        ].joined(separator: "\t")
    }

    fileprivate init?(_ fields: [String]) {
        guard let byteCount = Int(fields[2]), let format = ImageFormat(rawValue: fields[3]),
            let width = Int(fields[4]), let height = Int(fields[5]),
            (1...1 << 40).contains(byteCount), format.kind == .pixels, isQuality(fields[6]),
            [width, height].allSatisfy((1...ImageHeader.longestSide).contains),
            isBakedName(fields[1], format)
        else { return nil }
        self.init(
            fileName: fields[1], byteCount: byteCount, format: format, width: width, height: height,
            quality: Int(fields[6]))
    }
}

/// Whether a field is an encoder's number, or empty for none.
private func isQuality(_ text: String) -> Bool {
    text.isEmpty || Int(text).map(Quality.numbers.contains) == true
}

extension BakedImage {
    /// Whether a bake can give this result; the numbers in a damaged cache may be anything.
    fileprivate var isPossible: Bool {
        let sides = 0...ImageHeader.longestSide
        let bytes = 1...1 << 40
        return [width, height, original.width, original.height].allSatisfy(sides.contains)
            && bytes.contains(sourceByteCount) && bytes.contains(byteCount)
            && isBakedName(fileName, format)
            && note.map { ForeignText.isTidy($0.reason, longest: 2 * ForeignText.longest) } ?? true
    }
}

private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

/// The results of earlier bakes, by the bytes and the plan of the document.
package struct DocumentStore: Sendable {
    package struct Key: Sendable {
        /// The SHA-256 of the document's bytes, in hexadecimal.
        var digest: String
        /// Everything that affects the splices, except the document's bytes and the sources.
        var plan: String
        /// See ``Programs/build``.
        var build: String

        package init(digest: String, plan: String, build: String) {
            self.digest = digest
            self.plan = plan
            self.build = build
        }

        fileprivate var text: String { digest + "|" + plan }
    }

    private let values: BuildValues

    package init(cache: FetchManager) { values = BuildValues(name: "documents", cache: cache) }

    package func recall(_ key: Key) async throws(FetchError) -> BakedDocument? {
        try await values.value(for: key.text, of: key.build).flatMap(BakedDocument.init(encoded:))
    }

    /// Stores a result; if an image must not be stored, an earlier result is removed.
    package func remember(_ document: BakedDocument, _ key: Key) async throws(FetchError) {
        if document.isNoStore { return try await values.remove(key.text) }
        let encoded = document.encoded()
        if encoded.isEmpty { return }
        try await values.set(encoded, for: key.text, of: key.build)
    }
}
