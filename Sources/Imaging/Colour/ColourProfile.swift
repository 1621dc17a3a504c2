import ImageFormats

/// An ICC colour profile (ISO 15076-1).
///
/// ```text
/// 0    length (4)  …  8 version  …  12 class (4)  16 colour space (4)  20 space of its tables (4)
/// 36   "acsp" (4)  …
/// 128  number of tags (4), then for each a name (4), an offset (4) and a length (4)
/// ```
struct ColourProfile: Equatable {
    enum Space: String {
        case grey = "GRAY"
        case colour = "RGB "
        case cmyk = "CMYK"
    }

    let bytes: [UInt8]
    /// The ranges of the tags in ``bytes``, by name.
    let tags: [String: Range<Int>]
    let space: Space
    /// Whether it has a table for the perceptual intent, which browsers prefer.
    let isPerceptual: Bool

    /// The classes of profiles of devices and of colour spaces.
    private static let classes: Set<String> = ["mntr", "scnr", "prtr", "spac"]

    /// - Returns: nil for a profile that browsers ignore: it is damaged, cut short or of a later
    ///   version, has no colours, or is for another colour space.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 132, bytes[..<4].bigEndianNumber <= bytes.count, bytes[8] <= 4,
            bytes[36..<40].elementsEqual("acsp".utf8),
            Self.classes.contains(String(decoding: bytes[12..<16], as: UTF8.self)),
            ["XYZ ", "Lab "].contains(String(decoding: bytes[20..<24], as: UTF8.self)),
            let space = Space(rawValue: String(decoding: bytes[16..<20], as: UTF8.self))
        else { return nil }
        let count = bytes[128..<132].bigEndianNumber
        guard count <= 100, 132 + 12 * count <= bytes.count else { return nil }
        var tags: [String: Range<Int>] = [:]
        for start in stride(from: 132, to: 132 + 12 * count, by: 12) {
            let offset = bytes[start + 4..<start + 8].bigEndianNumber
            let length = bytes[start + 8..<start + 12].bigEndianNumber
            guard offset + length <= bytes.count else { return nil }
            let name = String(decoding: bytes[start..<start + 4], as: UTF8.self)
            tags[name] = offset..<offset + length
        }
        isPerceptual = tags["A2B0"] != nil
        let needed: Set<String> =
            switch space {
            case .grey: ["kTRC"]
            case .colour: ["rTRC", "gTRC", "bTRC", "rXYZ", "gXYZ", "bXYZ"]
            case .cmyk: ["A2B0"]
            }
        guard isPerceptual || needed.isSubset(of: tags.keys) else { return nil }
        self.bytes = bytes
        self.tags = tags
        self.space = space
    }

    /// Whether it states HDR (PQ or HLG), which libvips does not convert, by code points (tag cicp) or
    /// by the name that libjxl gives it.
    var isBright: Bool {
        let name: [UInt8] = tags["desc"].map { Array(bytes[$0].filter { $0 != 0 }) } ?? []
        if ["_PeQ", "_HLG"].contains(where: { name.firstRange(of: Array($0.utf8)) != nil }) {
            return true
        }
        guard let range = tags["cicp"], range.count >= 12 else { return false }
        return [16, 18].contains(bytes[range.lowerBound + 9])
    }

    /// Whether the profile is for the samples of `picture`.
    ///
    /// Browsers apply a profile for colours to a grey image, too, but not the other way round.
    func fits(_ picture: borrowing Picture) -> Bool {
        switch space {
        case .cmyk: picture.isCMYK
        case .grey: picture.isGrey
        case .colour: !picture.isCMYK
        }
    }

    /// Whether a grey picture has to be converted to colours before the profile can be applied.
    func needsColour(_ picture: borrowing Picture) -> Bool { space == .colour && picture.isGrey }
}
