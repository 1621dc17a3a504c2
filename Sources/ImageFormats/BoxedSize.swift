extension ImageSize {
    /// Reads the size of a HEIF file (ISO/IEC 23008-12, section 6.5.3): that of its primary item, as
    /// it is shown.
    ///
    /// Without one it is the largest `ispe` property; tiles and thumbnails have smaller ones.
    static let ofHEIF: Reader = { bytes in
        var boxes = Boxes(ByteFields(bytes), 0..<Int.max)
        while let box = boxes.next() {
            guard box.type == "meta" else { continue }
            guard box.content.upperBound <= bytes.count else { return .undecided }
            let fields = ByteFields(bytes)
            return primary(in: fields, meta: box.content).map { .size($0) }
                ?? largest(in: fields, meta: box.content)
        }
        // After a box that goes on to the end of the file, nothing follows.
        let mayFollow = boxes.position > bytes.count - 16 && boxes.position < .max
        return mayFollow ? .undecided : .unknown
    }

    /// The size of the primary item after its transformations; nil if the boxes do not give it.
    private static func primary(in fields: ByteFields, meta: Range<Int>) -> ImageSize? {
        var item: Int?
        var properties: [(type: String, content: Range<Int>)] = []
        var used: [Int: [Int]] = [:]
        for box in Boxes(fields, meta.dropFirst(4)) {
            if box.type == "pitm" { item = itemNumber(in: fields, box.content) }
            guard box.type == "iprp" else { continue }
            for part in Boxes(fields, box.content) {
                switch part.type {
                case "ipco": properties = Boxes(fields, part.content).map { ($0.type, $0.content) }
                case "ipma":
                    used.merge(associations(in: fields, part.content)) { first, _ in first }
                default: break
                }
            }
        }
        guard let item, let indices = used[item] else { return nil }
        var size: ImageSize?
        // The first property has the index 1.
        for index in indices where properties.indices.contains(index - 1) {
            let (type, content) = properties[index - 1]
            size = changed(size, by: type, at: content.lowerBound, in: fields)
        }
        return size
    }

    /// The size after one property: its statement, a crop or a turn.
    private static func changed(
        _ size: ImageSize?, by type: String, at start: Int, in fields: ByteFields
    ) -> ImageSize? {
        func number(_ index: Int) -> Int { fields.bigEndian(at: start + 4 * index, count: 4) ?? 0 }
        switch type {
        // It begins with a version and flags.
        case "ispe": return ImageSize(width: number(1), height: number(2))
        case "clap" where number(1) > 0 && number(3) > 0:
            return ImageSize(width: number(0) / number(1), height: number(2) / number(3))
        case "irot" where (fields.bigEndian(at: start, count: 1) ?? 0) & 1 == 1:
            return size.map { ImageSize(width: $0.height, height: $0.width) }
        default: return size
        }
    }

    private static func itemNumber(in fields: ByteFields, _ content: Range<Int>) -> Int? {
        let start = content.lowerBound
        let isShort = fields.bigEndian(at: start, count: 1) == 0
        return fields.bigEndian(at: start + 4, count: isShort ? 2 : 4)
    }

    /// The indices of the properties of each item.
    private static func associations(
        in fields: ByteFields, _ content: Range<Int>
    ) -> [Int: [Int]] {
        var position = content.lowerBound + 8
        let isShort = fields.bigEndian(at: content.lowerBound, count: 1) == 0
        let isWide = (fields.bigEndian(at: content.lowerBound + 3, count: 1) ?? 0) & 1 == 1
        var items: [Int: [Int]] = [:]
        while position < content.upperBound,
            let item = fields.bigEndian(at: position, count: isShort ? 2 : 4),
            let count = fields.bigEndian(at: position + (isShort ? 2 : 4), count: 1)
        {
            position += isShort ? 3 : 5
            var indices: [Int] = []
            for _ in 0..<count {
                guard let index = fields.bigEndian(at: position, count: isWide ? 2 : 1) else {
                    return items
                }
                // The upper bit says whether a reader must know the property.
                indices.append(index & (isWide ? 0x7FFF : 0x7F))
                position += isWide ? 2 : 1
            }
            items[item] = indices
        }
        return items
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
