/// The items of a HEIF or AVIF file and what describes them (ISO/IEC 23008-12).
package struct HEIFItems {
    /// An entry of the box `iinf`.
    package struct Entry {
        /// Such as `av01`, `Exif` and `tmap`.
        package let type: String
        /// The place of the type.
        package let typePlace: Range<Int>
        /// The place of the rest of the entry: names and, of some types, a media type.
        package let texts: Range<Int>
    }

    /// The box that describes the items.
    package let meta: ISOBox
    /// The number of the item to show.
    package private(set) var primary: Int?
    /// The entries of the items by their numbers.
    package private(set) var entries: [Int: Entry] = [:]
    /// The properties of the items, in order.
    package private(set) var properties: [Int: [ISOBox]] = [:]
    /// The references between the items, such as `prem` and `auxl`.
    package private(set) var references: [(name: String, from: Int, to: [Int])] = []
    /// All properties, also those of no item.
    package private(set) var all: [ISOBox] = []
    /// The places in the file of the parts of the items; nil if no box gives them.
    package private(set) var extents: [(item: Int, range: Range<Int>)]?

    /// Reads a box `meta`.
    package init(_ meta: ISOBox, _ bytes: UnsafeRawBufferPointer) {
        self.meta = meta
        let boxes = ISOBox.all(in: bytes, meta.content.dropFirst(4))
        let data = boxes.last { $0.name == "idat" }?.content.lowerBound ?? 0
        for box in boxes {
            // The version, and flags.
            let version = bytes.number(at: box.content.lowerBound, 1)
            let start = box.content.dropFirst(4)
            switch box.name {
            case "pitm": primary = bytes.number(at: start.lowerBound, version == 0 ? 2 : 4)
            case "iinf":
                for entry in ISOBox.all(in: bytes, start.dropFirst(version == 0 ? 2 : 4)) {
                    readEntry(entry, bytes)
                }
            case "iref":
                for reference in ISOBox.all(in: bytes, start) {
                    read(reference, version == 0 ? 2 : 4, bytes)
                }
            case "iprp":
                let parts = ISOBox.all(in: bytes, box.content)
                all = parts.filter { $0.name == "ipco" }
                    .flatMap { ISOBox.all(in: bytes, $0.content) }
                for part in parts where part.name == "ipma" {
                    readAssociations(part.content, bytes)
                }
            case "iloc": readLocations(box.content, data: data, bytes)
            default: break
            }
        }
    }

    private mutating func readEntry(_ entry: ISOBox, _ bytes: UnsafeRawBufferPointer) {
        let start = entry.content.lowerBound
        let version = bytes.number(at: start, 1)
        let size = version == 2 ? 2 : 4
        guard entry.name == "infe", version >= 2, entry.content.count >= 10 + size,
            entry.content.upperBound <= bytes.count
        else { return }
        let type = start + 6 + size..<start + 10 + size
        entries[bytes.number(at: start + 4, size)] = Entry(
            type: String(decoding: bytes[type], as: UTF8.self), typePlace: type,
            texts: type.upperBound..<entry.content.upperBound)
    }

    private mutating func read(
        _ reference: ISOBox, _ size: Int, _ bytes: UnsafeRawBufferPointer
    ) {
        let start = reference.content.lowerBound
        let count = min(bytes.number(at: start + size, 2), reference.content.count / size)
        let to = (0..<count).map { bytes.number(at: start + size + 2 + size * $0, size) }
        references.append((reference.name, bytes.number(at: start, size), to))
    }

    /// Reads the box `ipma`: the indices of the properties of each item.
    private mutating func readAssociations(
        _ content: Range<Int>, _ bytes: UnsafeRawBufferPointer
    ) {
        let size = bytes.number(at: content.lowerBound, 1) == 0 ? 2 : 4
        let width = bytes.number(at: content.lowerBound + 3, 1) & 1 == 1 ? 2 : 1
        var position = content.lowerBound + 8
        while position + size < content.upperBound {
            let item = bytes.number(at: position, size)
            let count = bytes.number(at: position + size, 1)
            position += size + 1
            guard position + count * width <= content.upperBound else { return }
            properties[item] = (0..<count).compactMap { place in
                // The first property has the index 1; the upper bit says whether a reader must know
                // the property.
                let mask = width == 2 ? 0x7FFF : 0x7F
                let index = bytes.number(at: position + place * width, width) & mask
                return all.indices.contains(index - 1) ? all[index - 1] : nil
            }
            position += count * width
        }
    }

    /// Reads the box `iloc` (ISO/IEC 14496-12, section 8.11.3).
    ///
    /// - Parameters:
    ///   - content: The content of the box.
    ///   - data: The start of the content of the box `idat`, which may contain items.
    ///   - bytes: The file.
    private mutating func readLocations(
        _ content: Range<Int>, data: Int, _ bytes: UnsafeRawBufferPointer
    ) {
        var position = content.lowerBound
        func next(_ count: Int) -> Int {
            guard count <= 8, position + count <= content.upperBound else {
                position = content.upperBound
                return 0
            }
            defer { position += count }
            return bytes.number(at: position, count)
        }
        let version = next(1)
        _ = next(3)
        let sizes = next(2)
        let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        let (baseSize, indexSize) = (sizes >> 4 & 15, version > 0 ? sizes & 15 : 0)
        var found: [(item: Int, range: Range<Int>)] = []
        var items = next(version < 2 ? 2 : 4)
        while items > 0, position < content.upperBound {
            items -= 1
            let item = next(version < 2 ? 2 : 4)
            let method = version > 0 ? next(2) & 15 : 0
            _ = next(2)
            let base = next(baseSize) &+ (method == 1 ? data : 0)
            var parts = next(2)
            while parts > 0, position < content.upperBound {
                parts -= 1
                _ = next(indexSize)
                let start = base &+ next(offsetSize)
                let length = next(lengthSize)
                // Items without lengths are not looked for.
                guard start >= 0, length > 0, start < .max - length else { continue }
                found.append((item, start..<start + length))
            }
        }
        extents = found
    }
}
