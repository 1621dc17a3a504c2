extension FileParts {
    /// Reads the boxes in order (ISO/IEC 14496-12): each has a length (4), a name (4) and the
    /// content.
    ///
    /// EXIF and XMP are items; the box `meta` lists their places. Removing them would move all
    /// other items, so they are overwritten, and their types are replaced by one that no program
    /// reads. A shorter block may take their place.
    mutating func readAVIF(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        var names: Set<String> = []
        var isConsistent = true
        var end = 0
        var others: [ISOBox] = []
        while let box = ISOBox(bytes, at: offset, end: bytes.count) {
            names.insert(box.name)
            if box.name == "meta" {
                meta = box
                isConsistent = readItems(of: box, bytes) && isConsistent
            }
            if box.name == "moov" { frameCount = Self.sampleCount(in: bytes[box.content]) }
            offset = box.range.upperBound
            // A box such as `free` has nothing to show.
            if Self.shownBoxes.contains(box.name) { end = offset } else { others.append(box) }
        }
        for box in others where box.range.upperBound <= end {
            guard box.name != "free" || bytes[box.content].contains(where: { $0 != 0 }) else {
                continue
            }
            let name = box.range.lowerBound + 4
            patches.append((name..<name + 4, Array("free".utf8)))
            patches.append((box.content, [UInt8](repeating: 0, count: box.content.count)))
        }
        // A box that exceeds the file is trailing data if all necessary boxes came before it.
        isComplete =
            isConsistent && (offset == bytes.count || names.isSuperset(of: ["meta", "mdat"]))
        add(.image, 0..<(end > 0 ? end : offset))
    }

    /// Finds the box that describes the items.
    mutating func readHEIC(_ bytes: UnsafeRawBufferPointer) {
        meta = ISOBox.all(in: bytes, 0..<bytes.count).first { $0.name == "meta" }
        add(.image, 0..<bytes.count)
    }

    /// The boxes on the first level with a part of the picture.
    private static let shownBoxes: Set<String> = ["ftyp", "mdat", "meta", "moov", "moof", "mfra"]

    /// The number of samples of the first track, from its box `stsz`; nil for fewer than two.
    private static func sampleCount(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        let name = Array("stsz".utf8)
        var rest = bytes
        while let start = rest.firstIndex(of: name[0]) {
            rest = rest[start...]
            if rest.count >= 16, rest.starts(with: name) {
                let count = rest[start + 12..<start + 16].bigEndianNumber
                return count > 1 ? count : nil
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// - Returns: Whether the metadata can be overwritten without damage to the picture.
    private mutating func readItems(
        of meta: ISOBox, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        var metadata: [Int: ItemEntry] = [:]
        var locations: ISOBox?
        var data: ISOBox?
        for box in ISOBox.all(in: bytes, meta.content.dropFirst(4)) {
            switch box.name {
            case "iinf":
                let isShort = bytes[box.content.lowerBound] == 0
                let entries = box.content.dropFirst(isShort ? 6 : 8)
                for entry in ISOBox.all(in: bytes, entries) where entry.name == "infe" {
                    guard let item = ItemEntry(entry, bytes) else { continue }
                    patches.append((item.type, Array("free".utf8)))
                    metadata[item.number] = item
                }
            case "iloc": locations = box
            case "idat": data = box
            default: break
            }
        }
        guard let locations else { return metadata.isEmpty }
        var reader = ISOReader(bytes: bytes, range: locations.content)
        let stated = reader.extents(data: data?.content.lowerBound ?? 0)
        extents += stated
        // A picture that is cut short is damaged; metadata that is cut short is not read.
        guard stated.allSatisfy({ metadata[$0.item] != nil || $0.range.upperBound <= bytes.count })
        else { return false }
        let all =
            stated.map { ($0.item, $0.range.clamped(to: 0..<bytes.count)) }
            .filter { !$0.1.isEmpty } as [(item: Int, range: Range<Int>)]
        let extents = all.filter { metadata[$0.item] != nil }
        guard Self.areApart(all.map { ($0.range, metadata[$0.item] != nil) }) else { return false }
        for (_, range) in extents {
            patches.append((range, [UInt8](repeating: 0, count: range.count)))
        }
        for (number, parts) in Dictionary(grouping: extents, by: \.item) where parts.count == 1 {
            guard let item = metadata[number], let kind = item.kind else { continue }
            items.append(MetadataItem(kind: kind, type: item.type, content: parts[0].range))
        }
        // The first of several items of one kind is the one that is kept.
        items.sort { $0.content.lowerBound < $1.content.lowerBound }
        return true
    }

    /// Whether no part of metadata overlaps another part.
    ///
    /// Parts of the picture may overlap: encoders store equal tiles once.
    private static func areApart(_ parts: [(range: Range<Int>, isMetadata: Bool)]) -> Bool {
        var (end, endOfMetadata) = (0, 0)
        for part in parts.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard part.range.lowerBound >= (part.isMetadata ? end : endOfMetadata) else {
                return false
            }
            end = max(end, part.range.upperBound)
            if part.isMetadata { endOfMetadata = max(endOfMetadata, part.range.upperBound) }
        }
        return true
    }
}

/// An entry of the box `iinf` for EXIF, XMP or other text (ISO/IEC 14496-12, section 8.11.6).
private struct ItemEntry {
    let number: Int
    /// The place of its type.
    let type: Range<Int>
    /// Nil if its content is neither EXIF nor plain XMP.
    let kind: MetadataItem.Kind?

    /// - Returns: nil for an item of another type.
    init?(_ entry: ISOBox, _ bytes: UnsafeRawBufferPointer) {
        let version = bytes[entry.content.lowerBound]
        let size = version == 2 ? 2 : 4
        let start = entry.content.lowerBound + 4
        guard version >= 2, start + size + 6 <= entry.content.upperBound else { return nil }
        number = bytes[start..<start + size].bigEndianNumber
        type = start + size + 2..<start + size + 6
        switch String(decoding: bytes[type], as: UTF8.self) {
        case "Exif": kind = .exif
        case "mime":
            // A name, a media type and perhaps a content coding, each with a zero at its end.
            let texts = bytes[type.upperBound..<entry.content.upperBound]
                .split(separator: 0, omittingEmptySubsequences: false).dropFirst()
            let isXMP = texts.first?.elementsEqual("application/rdf+xml".utf8) == true
            kind = isXMP && texts.dropFirst().allSatisfy(\.isEmpty) ? .xmp : nil
        default: return nil
        }
    }
}

/// Reads the box `iloc`, which gives the places of items (ISO/IEC 14496-12, section 8.11.3).
private struct ISOReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int
    private let end: Int

    init(bytes: UnsafeRawBufferPointer, range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// The places of the items in the file.
    ///
    /// - Parameter data: The start of the content of the box `idat`, which may contain items.
    /// - Returns: A range for each part of an item that is not empty.
    mutating func extents(data: Int) -> [(item: Int, range: Range<Int>)] {
        let version = number(1)
        offset += 3
        let sizes = number(2)
        let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        let (baseSize, indexSize) = (sizes >> 4 & 15, version > 0 ? sizes & 15 : 0)
        var found: [(item: Int, range: Range<Int>)] = []
        for _ in 0..<number(version < 2 ? 2 : 4) where offset < end {
            let item = number(version < 2 ? 2 : 4)
            let method = version > 0 ? number(2) & 15 : 0
            offset += 2
            let base = number(baseSize) + (method == 1 ? data : 0)
            let count = number(2)
            guard lengthSize > 0 else {
                offset += count * (indexSize + offsetSize)
                continue
            }
            for _ in 0..<count where offset < end {
                offset += indexSize
                let start = base &+ number(offsetSize)
                let length = number(lengthSize)
                guard start >= 0, length > 0, start < .max - length else { continue }
                found.append((item, start..<start + length))
            }
        }
        return found
    }

    private mutating func number(_ count: Int) -> Int {
        guard count <= 8, offset + count <= end else {
            offset = end
            return 0
        }
        defer { offset += count }
        let value = bytes[offset..<offset + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(clamping: value)
    }
}
