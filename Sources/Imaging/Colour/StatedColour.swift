internal import CVips
import ImageFormats

/// The colours that a file states outside its pixels, in a form that libvips may not read.
enum StatedColour: Equatable {
    case unstated
    case standard
    case profile(ColourProfile)
    case gamma(PNGGamma)
    /// HDR, other primaries or samples of another form, which libvips does not convert.
    case unknown

    init(of file: borrowing SourceFile, _ format: ImageFormat, _ parts: FileParts) {
        let bytes = file.buffer
        if let items = parts.heif {
            self.init(of: items, bytes)
            return
        }
        switch format {
        case .png:
            var chunks = PNGColourChunks()
            for chunk in PNGChunks(in: bytes) {
                if chunk.name == "IDAT" { break }
                chunks.read(chunk.name, bytes[chunk.data])
            }
            self = chunks.colour
        // Chromium ignores the profile of an animation, even of one with a single frame.
        case .webp: self = parts.isAnimatedWebP ? .standard : .unstated
        default: self = .unstated
        }
    }
}

/// The chunks of a PNG that decide its colours; cICP comes before iCCP, sRGB and gAMA (PNG third
/// edition, section 13.2).
struct PNGColourChunks {
    private var codePoints: [UInt8] = []
    private var profile: ColourProfile?
    private var isStandard = false
    private var gamma = 0
    private var primaries: [Double] = []
    private var kind: UInt8 = 0
    private var depth: UInt8 = 8
    private var isKeyOutside = false

    /// Takes a chunk that comes before the pixels.
    mutating func read(_ name: String, _ data: Slice<UnsafeRawBufferPointer>) {
        switch name {
        case "IHDR" where data.count == 13: (depth, kind) = (Array(data)[8], Array(data)[9])
        case "cICP" where data.count == 4: codePoints = Array(data)
        case "iCCP": profile = Self.inflated(data).flatMap(ColourProfile.init)
        case "sRGB": isStandard = true
        case "gAMA" where data.count == 4: gamma = data.bigEndianNumber
        case "cHRM" where data.count == 32:
            let all = Array(data)
            primaries = stride(from: 0, to: 32, by: 4).map {
                Double(all[$0..<$0 + 4].bigEndianNumber) / 100_000
            }
        case "tRNS" where kind == 0 && data.count == 2 && depth < 8:
            // libvips compares fewer bits than browsers do.
            isKeyOutside = data.bigEndianNumber >= 1 << depth
        default: break
        }
    }

    var colour: StatedColour {
        if isKeyOutside { return .unknown }
        if codePoints.count == 4 {
            // Primaries and transfer function of sRGB (ITU-T H.273).
            return codePoints[0] == 1 && codePoints[1] == 13 ? .standard : .unknown
        }
        if let profile { return .profile(profile) }
        if isStandard { return .standard }
        return PNGGamma(gamma: gamma, primaries: primaries).map(StatedColour.gamma) ?? .unstated
    }

    /// The profile in a chunk iCCP: a name, a zero, the method 0, and a zlib stream.
    private static func inflated(_ data: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        guard let end = data.prefix(80).firstIndex(of: 0), end + 2 < data.endIndex,
            data[end + 1] == 0
        else { return nil }
        let stream = Array(data[(end + 2)...])
        var result = [UInt8](repeating: 0, count: longestProfile)
        let count = result.withUnsafeMutableBytes { room in
            stream.withUnsafeBytes { bytes in
                cvips_inflate(
                    bytes.baseAddress, gsize(bytes.count), room.baseAddress,
                    gsize(room.count), 0)
            }
        }
        return count > 0 && count < longestProfile ? Array(result.prefix(count)) : nil
    }

    private static let longestProfile = 4 << 20
}

/// The colours of a PNG by its chunks gAMA and cHRM (PNG third edition, sections 11.3.2.1 and
/// 11.3.2.2).
///
/// Many programs write the gamma 0.45455 for sRGB. Chromium takes a gamma near it as sRGB, unless
/// there are primaries, too. Primaries alone have no effect.
struct PNGGamma: Equatable {
    /// The exponent that makes a sample linear.
    private let exponent: Double
    /// As ``Chromaticities``; nil for those of sRGB.
    private let primaries: [Double]?

    /// The colours by the value of gAMA, in units of 1/100,000, and by that of cHRM; nil if the samples
    /// are sRGB.
    ///
    /// Without a chunk, `gamma` is 0 and `primaries` is empty.
    init?(gamma: Int, primaries: [Double]) {
        guard gamma > 0 else { return nil }
        exponent = min(255, 100_000 / Double(gamma))
        if primaries.count == 8 {
            self.primaries = primaries
        } else {
            if abs(exponent - 2.2) < 0.101 { return nil }
            self.primaries = nil
        }
    }

    /// A profile with these colours for the samples of `picture`; nil if the primaries cannot be.
    func profile(for picture: borrowing Picture) -> ColourProfile? {
        let bytes =
            picture.isGrey
            ? MadeProfile.grey(exponent, name: "gAMA")
            : MadeProfile.colour(primaries ?? Chromaticities.sRGB, [exponent], name: "cHRM")
        return bytes.flatMap(ColourProfile.init)
    }
}
