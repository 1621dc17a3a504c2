extension ImageSize {
    /// Reads the size of a HEIF file: the largest `ispe` property of its `meta` box (ISO/IEC
    /// 23008-12, section 6.5.3).
    ///
    /// Tiles and thumbnails have smaller ones.
    static let ofHEIF: Reader = { bytes in
        var boxes = Boxes(ByteFields(bytes), 0..<Int.max)
        while let box = boxes.next() {
            guard box.type == "meta" else { continue }
            guard box.content.upperBound <= bytes.count else { return .undecided }
            return largest(in: ByteFields(bytes), meta: box.content)
        }
        // After a box that goes on to the end of the file, nothing follows.
        let mayFollow = boxes.position > bytes.count - 16 && boxes.position < .max
        return mayFollow ? .undecided : .unknown
    }

    private static func largest(in fields: ByteFields, meta: Range<Int>) -> Verdict {
        var largest: ImageSize?
        // `meta` and `ispe` begin with a version and flags.
        for properties in Boxes(fields, meta.dropFirst(4)) where properties.type == "iprp" {
            for container in Boxes(fields, properties.content) where container.type == "ipco" {
                for property in Boxes(fields, container.content) where property.type == "ispe" {
                    let start = property.content.lowerBound
                    guard let width = fields.bigEndian(at: start + 4, count: 4),
                        let height = fields.bigEndian(at: start + 8, count: 4)
                    else { continue }
                    let size = ImageSize(width: width, height: height)
                    if size.pixels > largest?.pixels ?? 0 { largest = size }
                }
            }
        }
        return largest.map { .size($0) } ?? .unknown
    }
}

/// The boxes of an ISO base media file (ISO/IEC 14496-12, section 4.2).
private struct Boxes: Sequence, IteratorProtocol {
    struct Box {
        var type: String
        var content: Range<Int>
    }

    private let fields: ByteFields
    private let end: Int
    /// The start of the next box.
    private(set) var position: Int

    init(_ fields: ByteFields, _ range: Range<Int>) {
        self.fields = fields
        position = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Box? {
        guard position < end, let short = fields.bigEndian(at: position, count: 4),
            let name = fields.bigEndian(at: position + 4, count: 4)
        else { return nil }
        var header = 8
        var size = short
        if short == 1 {
            guard let long = fields.bigEndian(at: position + 8, count: 8) else { return nil }
            (header, size) = (16, long)
        }
        // A box of size 0 goes on to the end of the file.
        if short == 0 { size = end - position }
        guard size >= header, size <= end - position else { return nil }
        let type = withUnsafeBytes(of: UInt32(name).bigEndian) {
            String(decoding: $0, as: UTF8.self)
        }
        defer { position += size }
        return Box(type: type, content: position + header..<position + size)
    }
}
