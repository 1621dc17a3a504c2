import Records
import Reports

/// An image that the last bake published.
struct StateImage {
    /// What asked for it: the same request gives the same image.
    struct Key: Hashable {
        /// The source's URL, from ``ImageLocation/key``.
        var url: String
        /// The options of the variant in the form of ``canonicalText(of:)``.
        var options: String
        /// The image folder of the page; empty for the common one.
        var folder: String
    }

    var key: Key
    var sourceByteCount: Int64
    var byteCount: Int64
    /// See ``BakedImage/quality``; 0 for nil.
    var quality: Int64
    /// The time until which no server need be asked, in milliseconds since 1970.
    var freshUntil: Int64
    /// The name of the published file in its folder.
    var fileName: String
    /// Whether this is a further file of the image that the key asks for.
    var isSmaller: Bool
    /// The published file.
    var file: FileMark
    /// The file of an image of the site itself; nil for an image of another host.
    var source: FileMark?
}

/// A document that the last bake left as it should be.
struct StateDocument {
    var input: FileMark
    /// Nil in place: the document is its own output.
    var output: FileMark?
    var referenceCount: Int64
    /// Whether references of it were replaced.
    var isRewritten: Bool
    /// Whether it needs the style sheet of added classes.
    var usesSheet = false
    /// The images that get fewer files than the options ask for.
    var kept = KeptImages()
    /// The numbers of its images.
    var images: [Int]
    /// Where its row begins in the state that it was read from.
    var place = 0
}

extension StateImage {
    init?(from reader: inout RowReader) {
        guard let url = reader.text(), let options = reader.text(), let folder = reader.text(),
            let sourceByteCount = reader.number(), let byteCount = reader.number(),
            let quality = reader.number(), 0...100 ~= quality,
            let freshUntil = reader.number(), let fileName = reader.text(),
            let isSmaller = reader.number(), let file = FileMark(from: &reader),
            let source = reader.optional(FileMark.init(from:))
        else { return nil }
        self.init(
            key: Key(url: url, options: options, folder: folder),
            sourceByteCount: sourceByteCount, byteCount: byteCount, quality: quality,
            freshUntil: freshUntil, fileName: fileName, isSmaller: isSmaller == 1, file: file,
            source: source)
    }

    func write(to writer: inout RowWriter) {
        for text in [key.url, key.options, key.folder] { writer.add(text) }
        for number in [sourceByteCount, byteCount, quality, freshUntil] { writer.add(number) }
        writer.add(fileName)
        writer.add(isSmaller ? 1 : 0)
        file.write(to: &writer)
        writer.add(source) { $0.write(to: &$1) }
    }
}

extension StateDocument {
    init?(from reader: inout RowReader) {
        guard let referenceCount = reader.number(), let isRewritten = reader.number(),
            let usesSheet = reader.number(), let input = FileMark(from: &reader),
            let output = reader.optional(FileMark.init(from:)),
            let kept = KeptImages(from: &reader), let count = reader.number(), count >= 0,
            count <= reader.remaining
        else { return nil }
        var images: [Int] = []
        images.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let image = reader.number() else { return nil }
            images.append(Int(image))
        }
        self.init(
            input: input, output: output, referenceCount: referenceCount,
            isRewritten: isRewritten == 1, usesSheet: usesSheet == 1, kept: kept, images: images)
    }

    func write(to writer: inout RowWriter) {
        writer.add(referenceCount)
        writer.add(isRewritten ? 1 : 0)
        writer.add(usesSheet ? 1 : 0)
        input.write(to: &writer)
        writer.add(output) { $0.write(to: &$1) }
        kept.write(to: &writer)
        writer.add(Int64(images.count))
        for image in images { writer.add(Int64(image)) }
    }
}
