import ImageFormats
import SafeSVG

/// What libvips ignores in an AVIF or HEIC, as Chromium takes it.
struct HEIFColour {
    private(set) var colour = StatedColour.unstated
    private(set) var change = SampleChange()

    init(_ bytes: UnsafeRawBufferPointer, _ parts: FileParts) {
        guard let items = parts.heif, let primary = items.primary,
            let own = items.properties[primary]
        else { return }
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
                colour = Self.colour(bytes.number(at: start + 4, 2), bytes.number(at: start + 6, 2))
                if !Self.matrices.contains(bytes.number(at: start + 8, 2)) { colour = .unknown }
                isFullRange = box.content.count > 10 && bytes.number(at: start + 10, 1) & 0x80 != 0
            } else {
                profile = ArraySlice(bytes[box.content].dropFirst(4))
            }
        }
        // A profile has precedence.
        if let profile {
            let isGrey = profile.dropFirst(16).prefix(4).elementsEqual("GRAY".utf8)
            colour = isMonochrome && isGrey ? .unknown : .unstated
        }
        if isMonochrome {
            let range = isFullRange ?? Self.sequence(of: primary, items, bytes)?.isFullRange
            change.expandsColours = range == false
        }
        let alpha = items.references.first { $0.name == "auxl" && $0.to.contains(primary) }?.from
        if let alpha, items.entries[alpha]?.type == "av01" {
            change.expandsAlpha = Self.sequence(of: alpha, items, bytes)?.isFullRange == false
        }
        change.dividesByAlpha = items.references.contains { $0.name == "prem" }
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
    /// Transfer functions with an exponent, by the value of gAMA of a PNG.
    private static let gammas = [4: 45_455, 5: 35_714, 8: 100_000]

    /// The colours by primaries and a transfer function of ITU-T H.273.
    private static func colour(_ primaries: Int, _ transfer: Int) -> StatedColour {
        let isStandard = standardPrimaries.contains(primaries)
        guard isStandard || primaries == 12 else { return .unknown }
        if standardTransfers.contains(transfer) {
            if isStandard { return .unstated }
            return MatrixProfile.smallDisplayP3.flatMap(ColourProfile.init)
                .map(StatedColour.profile) ?? .unknown
        }
        return gammas[transfer]
            .flatMap {
                PNGGamma(
                    gamma: $0,
                    primaries: isStandard ? Chromaticities.sRGB : Chromaticities.displayP3)
            }
            .map(StatedColour.gamma) ?? .unknown
    }
}

/// How decoded samples have to change, because libheif leaves them as they are stored.
struct SampleChange: Equatable {
    /// From the values 16 to 235 to all.
    var expandsColours = false
    var expandsAlpha = false
    /// Colours are stored multiplied by alpha.
    var dividesByAlpha = false
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
