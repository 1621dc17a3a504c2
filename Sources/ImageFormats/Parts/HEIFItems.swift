/// The items of a HEIF file and what describes them (ISO/IEC 23008-12).
package struct HEIFItems {
    /// The number of the item to show.
    package private(set) var primary: Int?
    /// The types of the items, such as `av01` and `tmap`.
    package private(set) var types: [Int: String] = [:]
    /// The properties of the items, in order.
    package private(set) var properties: [Int: [ISOBox]] = [:]
    /// The references between the items, such as `prem` and `auxl`.
    package private(set) var references: [(name: String, from: Int, to: [Int])] = []
    /// All properties, also those of no item.
    package private(set) var all: [ISOBox] = []

    private let bytes: UnsafeRawBufferPointer

    /// Reads a box `meta`; the bytes must stay valid while the items are read.
    package init(_ meta: ISOBox, _ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        for box in ISOBox.all(in: bytes, meta.content.dropFirst(4)) {
            // The version, and flags.
            let (version, start) = (number(box.content.lowerBound, 1), box.content.dropFirst(4))
            switch box.name {
            case "pitm": primary = number(start.lowerBound, version == 0 ? 2 : 4)
            case "iinf":
                for entry in ISOBox.all(in: bytes, start.dropFirst(version == 0 ? 2 : 4)) {
                    readType(entry)
                }
            case "iref":
                for reference in ISOBox.all(in: bytes, start) {
                    read(reference, version == 0 ? 2 : 4)
                }
            case "iprp":
                let parts = ISOBox.all(in: bytes, box.content)
                all = parts.filter { $0.name == "ipco" }
                    .flatMap { ISOBox.all(in: bytes, $0.content) }
                parts.filter { $0.name == "ipma" }.forEach { readAssociations($0.content) }
            default: break
            }
        }
    }

    /// The number in some bytes; 0 behind the end of the file.
    package func number(_ start: Int, _ count: Int) -> Int {
        start + count <= bytes.count ? bytes[start..<start + count].bigEndianNumber : 0
    }

    private mutating func readType(_ entry: ISOBox) {
        let start = entry.content.lowerBound
        let size = number(start, 1) == 2 ? 2 : 4
        guard entry.name == "infe", number(start, 1) >= 2, entry.content.count >= 10 + size else {
            return
        }
        let type = start + 6 + size
        types[number(start + 4, size)] = String(decoding: bytes[type..<type + 4], as: UTF8.self)
    }

    private mutating func read(_ reference: ISOBox, _ size: Int) {
        let start = reference.content.lowerBound
        let count = min(number(start + size, 2), reference.content.count / size)
        let to = (0..<count).map { number(start + size + 2 + size * $0, size) }
        references.append((reference.name, number(start, size), to))
    }

    /// Reads the box `ipma`: the indices of the properties of each item.
    private mutating func readAssociations(_ content: Range<Int>) {
        let size = number(content.lowerBound, 1) == 0 ? 2 : 4
        let width = number(content.lowerBound + 3, 1) & 1 == 1 ? 2 : 1
        var position = content.lowerBound + 8
        while position + size < content.upperBound {
            let (item, count) = (number(position, size), number(position + size, 1))
            position += size + 1
            guard position + count * width <= content.upperBound else { return }
            properties[item] = (0..<count).compactMap { place in
                // The first property has the index 1; the upper bit says whether a reader must know
                // the property.
                let index = number(position + place * width, width) & (width == 2 ? 0x7FFF : 0x7F)
                return all.indices.contains(index - 1) ? all[index - 1] : nil
            }
            position += count * width
        }
    }
}
