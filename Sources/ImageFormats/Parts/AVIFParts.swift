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
                let items = HEIFItems(box, bytes)
                heif = items
                isConsistent = readMetadata(of: items, bytes) && isConsistent
            }
            if box.name == "moov" { frameCount = Self.sampleCount(in: box, bytes) }
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
        heif = ISOBox.all(in: bytes, 0..<bytes.count).first { $0.name == "meta" }
            .map { HEIFItems($0, bytes) }
        add(.image, 0..<bytes.count)
    }

    /// The boxes on the first level with a part of the picture.
    private static let shownBoxes: Set<String> = ["ftyp", "mdat", "meta", "moov", "moof", "mfra"]

    /// The number of samples of the first track with a box `stsz`; nil for fewer than two.
    private static func sampleCount(in moov: ISOBox, _ bytes: UnsafeRawBufferPointer) -> Int? {
        var boxes = [moov]
        for name in ["trak", "mdia", "minf", "stbl", "stsz"] {
            boxes = boxes.flatMap { ISOBox.all(in: bytes, $0.content) }.filter { $0.name == name }
        }
        // The version and flags, and a size for all samples come first.
        let count = boxes.first.map { bytes.number(at: $0.content.lowerBound + 8, 4) } ?? 0
        return count > 1 ? count : nil
    }

    /// - Returns: Whether the metadata can be overwritten without damage to the picture.
    private mutating func readMetadata(
        of heif: HEIFItems, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        let metadata = heif.entries.filter { ["Exif", "mime"].contains($0.value.type) }
        for entry in metadata.values { patches.append((entry.typePlace, Array("free".utf8))) }
        guard let stated = heif.extents else { return metadata.isEmpty }
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
            guard let entry = metadata[number], let kind = Self.kind(of: entry, bytes) else {
                continue
            }
            items.append(MetadataItem(kind: kind, type: entry.typePlace, content: parts[0].range))
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

    /// Nil if the content of an item is neither EXIF nor plain XMP.
    private static func kind(
        of entry: HEIFItems.Entry, _ bytes: UnsafeRawBufferPointer
    ) -> MetadataItem.Kind? {
        guard entry.type == "mime" else { return .exif }
        // A name, a media type and perhaps a content coding, each with a zero at its end.
        let texts = bytes[entry.texts].split(separator: 0, omittingEmptySubsequences: false)
            .dropFirst()
        let isXMP = texts.first?.elementsEqual("application/rdf+xml".utf8) == true
        return isXMP && texts.dropFirst().allSatisfy(\.isEmpty) ? .xmp : nil
    }
}
