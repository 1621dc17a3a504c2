import ImageFormats
import SafeSVG

extension StatedColour {
    /// The colours of an AVIF or HEIC, as Chromium takes them.
    ///
    /// libheif leaves some samples as they are stored: those of a limited range, and colours that are
    /// multiplied by alpha.
    init(of items: HEIFItems, _ bytes: UnsafeRawBufferPointer) {
        self = .unstated
        guard let primary = items.primary, let own = items.properties[primary] else { return }
        // A picture of tiles has the properties of a tile.
        let tiles = items.references.first { $0.name == "dimg" && $0.from == primary }?.to ?? []
        let tile = tiles.first.flatMap { items.properties[$0] } ?? []
        let isMonochrome = (own + tile).contains {
            $0.name == "av1C" && bytes.number(at: $0.content.lowerBound + 2, 1) & 0x10 != 0
        }
        var profile: ArraySlice<UInt8>?
        var isFullRange: Bool?
        for box in own where box.name == "colr" && box.content.count >= 11 {
            let start = box.content.lowerBound
            if bytes[start..<start + 4].elementsEqual("nclx".utf8) {
                self = Self.colour(bytes.number(at: start + 4, 2), bytes.number(at: start + 6, 2))
                if !Self.matrices.contains(bytes.number(at: start + 8, 2)) { self = .unknown }
                isFullRange = box.content.count > 10 && bytes.number(at: start + 10, 1) & 0x80 != 0
            } else {
                profile = ArraySlice(bytes[box.content].dropFirst(4))
            }
        }
        // A profile has precedence.
        if let profile {
            let isGrey = profile.dropFirst(16).prefix(4).elementsEqual("GRAY".utf8)
            self = isMonochrome && isGrey ? .unknown : .unstated
        }
        let alpha = items.references.first { $0.name == "auxl" && $0.to.contains(primary) }?.from
        let isAlphaFull =
            alpha.flatMap { items.entries[$0]?.type == "av01" ? $0 : nil }
            .flatMap { Self.sequence(of: $0, items, bytes)?.isFullRange }
        if isMonochrome {
            isFullRange = isFullRange ?? Self.sequence(of: primary, items, bytes)?.isFullRange
        }
        if isMonochrome && isFullRange == false || isAlphaFull == false
            || items.references.contains(where: { $0.name == "prem" })
        {
            self = .unknown
        }
    }

    /// The sequence header of an item.
    private static func sequence(
        of item: Int, _ items: HEIFItems, _ bytes: UnsafeRawBufferPointer
    ) -> AV1Sequence? {
        items.extents?.first { $0.item == item }.flatMap { extent in
            AV1Sequence(Array(bytes[extent.range.clamped(to: 0..<bytes.count)].prefix(64)))
        }
    }

    /// The matrices of ITU-T H.273 that libheif and Chromium apply in the same way.
    private static let matrices: Set<Int> = [0, 1, 2, 5, 6, 9]
    /// Primaries and transfer functions that Chromium takes as those of sRGB.
    private static let standardPrimaries: Set<Int> = [1, 2]
    private static let standardTransfers: Set<Int> = [1, 2, 6, 13, 14, 15]
    /// The colours by primaries and a transfer function of ITU-T H.273.
    private static func colour(_ primaries: Int, _ transfer: Int) -> StatedColour {
        guard standardTransfers.contains(transfer) else { return .unknown }
        if standardPrimaries.contains(primaries) { return .unstated }
        let profile = primaries == 12 ? MadeProfile.displayP3 : nil
        return profile.flatMap(ColourProfile.init).map(StatedColour.profile) ?? .unknown
    }
}

extension FileParts {
    /// Whether a file has a gain map for HDR (ISO 21496-1, Adobe's and Apple's older forms).
    func hasGainMap(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if let heif {
            return heif.entries.values.contains { $0.type == "tmap" }
                || Self.contains("hdrgainmap", in: bytes[heif.meta.content])
        }
        return parts.contains { $0.kind != .image && Self.isGainMap(bytes[$0.range]) }
    }

    private static func isGainMap(_ block: Slice<UnsafeRawBufferPointer>) -> Bool {
        ["urn:iso:std:iso:ts:21496:-1", "ns.adobe.com/hdr-gain-map/", "hdrgainmap"].contains {
            contains($0, in: block)
        }
    }

    private static func contains(_ text: String, in bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        // The search of the standard library took a tenth of the time of a bake.
        Array(bytes)[...].firstPlace(of: text) != nil
    }
}
