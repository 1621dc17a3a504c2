import ImageFormats

extension MetadataItem {
    /// The bytes of `attachments` for this item, padded to its length; nil if there are none, or if
    /// they are longer.
    func filled(with attachments: Attachments) -> [UInt8]? {
        switch kind {
        case .exif:
            // The block follows the offset of its TIFF header (ISO/IEC 23008-12, A.2.1).
            attachments.exif.flatMap { padded([0, 0, 0, 0] + $0, with: 0) }
        case .xmp: attachments.xmp.flatMap { padded($0, with: UInt8(ascii: " ")) }
        }
    }

    private func padded(_ block: [UInt8], with filler: UInt8) -> [UInt8]? {
        let rest = content.count - block.count
        return rest < 0 ? nil : block + [UInt8](repeating: filler, count: rest)
    }
}

extension FileParts {
    /// ``patches``, but with the blocks of `attachments` in the first item for each of them.
    func patches(keeping attachments: Attachments) -> [(range: Range<Int>, bytes: [UInt8])] {
        var patches = patches
        for kind in [MetadataItem.Kind.exif, .xmp] {
            guard let item = items.first(where: { $0.kind == kind }),
                let bytes = item.filled(with: attachments)
            else { continue }
            patches.removeAll { $0.range == item.type || $0.range == item.content }
            patches.append((item.content, bytes))
        }
        return patches
    }
}
