import ImageFormats

/// The first directory of EXIF, which is a TIFF (CIPA DC-008).
struct EXIFBlock {
    /// The bytes from the TIFF header on.
    private(set) var bytes: [UInt8]
    private let isLittle: Bool

    private enum Tag {
        static let orientation = 0x0112
        static let artist = 0x013B
        static let copyright = 0x8298
    }

    /// Reads EXIF with or without the mark of a JPEG segment before it; nil if it is not a TIFF.
    init?(_ bytes: [UInt8]) {
        let mark = Array("Exif\0\0".utf8)
        let tiff = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        switch tiff.prefix(4) {
        case [0x49, 0x49, 42, 0]: isLittle = true
        case [0x4D, 0x4D, 0, 42]: isLittle = false
        default: return nil
        }
        self.bytes = tiff
    }

    /// A directory with only the entries that have a value.
    init(orientation: Int = 1, artist: String?, copyright: String?) {
        isLittle = false
        let texts = [(Tag.artist, artist), (Tag.copyright, copyright)].compactMap { tag, text in
            text.map { (tag, Array($0.utf8.prefix(Self.longestText)) + [0]) }
        }
        let entryCount = texts.count + (orientation > 1 ? 1 : 0)
        var place = 8 + 2 + 12 * entryCount + 4
        var entries: [UInt8] = []
        var values: [UInt8] = []
        if orientation > 1 {
            entries += Tag.orientation.bigEndianBytes(2) + [0, 3, 0, 0, 0, 1]
            entries += [0, UInt8(orientation), 0, 0]
        }
        for (tag, text) in texts {
            entries += tag.bigEndianBytes(2) + [0, 2] + text.count.bigEndianBytes(4)
            if text.count <= 4 {
                entries += text + [UInt8](repeating: 0, count: 4 - text.count)
            } else {
                entries += place.bigEndianBytes(4)
                // Values begin at even places.
                values += text + (text.count % 2 == 1 ? [0] : [])
                place += text.count + text.count % 2
            }
        }
        bytes =
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] + entryCount.bigEndianBytes(2) + entries + [0, 0, 0, 0]
            + values
    }

    private static let longestText = 4096

    /// From 1 to 8; browsers know only a single number of 16 bits.
    var orientation: Int {
        guard let entry = entry(Tag.orientation), number(entry + 2, 2) == 3,
            number(entry + 4, 4) == 1, let value = number(entry + 8, 2), (1...8).contains(value)
        else { return 1 }
        return value
    }

    var artist: String? { text(Tag.artist) }
    var copyright: String? { text(Tag.copyright) }

    /// Declares the pixels upright.
    mutating func resetOrientation() {
        guard let entry = entry(Tag.orientation), number(entry + 2, 2) == 3 else { return }
        bytes.replaceSubrange(entry + 8..<entry + 10, with: isLittle ? [1, 0] : [0, 1])
    }

    /// The place of an entry of the first directory.
    private func entry(_ tag: Int) -> Int? {
        guard let start = number(4, 4), let count = number(start, 2) else { return nil }
        return (0..<count).lazy.map { start + 2 + 12 * $0 }
            .prefix { $0 + 12 <= bytes.count }
            .first { number($0, 2) == tag }
    }

    private func text(_ tag: Int) -> String? {
        guard let entry = entry(tag), number(entry + 2, 2) == 2, let count = number(entry + 4, 4)
        else { return nil }
        guard let start = count <= 4 ? entry + 8 : number(entry + 8, 4),
            count <= Self.longestText, start + count <= bytes.count
        else { return nil }
        let characters = bytes[start..<start + count].prefix { $0 != 0 }
        let text = String(decoding: characters, as: UTF8.self)
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    private func number(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place + count <= bytes.count else { return nil }
        let part = bytes[place..<place + count]
        return isLittle ? part.littleEndianNumber : part.bigEndianNumber
    }
}
