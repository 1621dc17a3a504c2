internal import CLittleCMS
import ImageFormats

/// A colour profile (ICC.1:2022) of RGB that is defined by its primaries.
struct MatrixProfile {
    private let bytes: [UInt8]
    /// The XYZ values of red, green and blue for the white of D50.
    private let primaries: [Double]
    /// The light at half of the signal.
    private let middle: Double

    /// - Returns: nil for a profile that is defined in another way, or is damaged.
    init?(_ profile: ColourProfile) {
        bytes = profile.bytes
        // A table takes precedence over the primaries.
        guard bytes.count <= Self.longest, profile.space == .colour, profile.tags["A2B0"] == nil,
            bytes[20..<24].elementsEqual("XYZ ".utf8),
            let read = cmsOpenProfileFromMem(bytes, cmsUInt32Number(bytes.count))
        else { return nil }
        defer { cmsCloseProfile(read) }
        guard let curve = cmsReadTag(read, cmsSigRedTRCTag).map(OpaquePointer.init) else {
            return nil
        }
        middle = Double(cmsEvalToneCurveFloat(curve, 0.5))
        var primaries: [Double] = []
        for tag in [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag] {
            guard let value = cmsReadTag(read, tag)?.load(as: cmsCIEXYZ.self) else { return nil }
            primaries += [value.X, value.Y, value.Z]
        }
        self.primaries = primaries
    }

    private static let longest = 1 << 20
    private static let standard = [
        0.4361, 0.2225, 0.0139, 0.3851, 0.7169, 0.0971, 0.1431, 0.0606, 0.7141,
    ]
    private static let displayP3 = [
        0.51512, 0.24120, -0.00105, 0.29198, 0.69225, 0.04189, 0.15710, 0.06657, 0.78407,
    ]

    /// The profile to embed so that the same samples show the same colours; nil if the colours are
    /// about those of sRGB, which need no profile.
    var kept: [UInt8]? {
        if isNear(Self.standard) { return nil }
        let isDisplayP3 = isNear(Self.displayP3) && abs(middle - 0.214) < 0.006
        return isDisplayP3 ? Self.smallDisplayP3 ?? bytes : bytes
    }

    private func isNear(_ other: [Double]) -> Bool {
        zip(primaries, other).allSatisfy { abs($0 - $1) < 0.006 }
    }

    /// Display P3 in few bytes: its primaries, and the curve of sRGB as a formula.
    static let smallDisplayP3 = MadeProfile.colour(
        Chromaticities.displayP3, MadeProfile.standardCurve, name: "Display P3")
}

/// x and y of white, red, green and blue.
enum Chromaticities {
    static let sRGB = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
    static let displayP3 = [0.3127, 0.3290, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06]
}

/// Makes profiles with Little CMS; the same values give the same bytes.
enum MadeProfile {
    /// The parameters of the curve of sRGB (IEC 61966-2-1).
    static let standardCurve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]

    /// A profile of RGB.
    ///
    /// - Parameters:
    ///   - chromaticities: As ``Chromaticities``.
    ///   - curve: An exponent, or the parameters of a curve like ``standardCurve``.
    ///   - name: The name that programs show.
    /// - Returns: nil if no colours can have these primaries.
    static func colour(
        _ chromaticities: [Double], _ curve: [Double], name: String
    ) -> [UInt8]? {
        let points = stride(from: 0, to: 8, by: 2).map {
            cmsCIExyY(x: chromaticities[$0], y: chromaticities[$0 + 1], Y: 1)
        }
        var (white, primaries) = (
            points[0], cmsCIExyYTRIPLE(Red: points[1], Green: points[2], Blue: points[3])
        )
        guard white.y > 0, let curve = toneCurve(curve) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        return cmsCreateRGBProfile(&white, &primaries, [curve, curve, curve])
            .flatMap { bytes(of: $0, name) }
    }

    /// A profile of grey with one exponent.
    static func grey(_ exponent: Double, name: String) -> [UInt8]? {
        guard let curve = toneCurve([exponent]) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        return cmsCreateGrayProfile(cmsD50_xyY(), curve).flatMap { bytes(of: $0, name) }
    }

    private static func toneCurve(_ parameters: [Double]) -> OpaquePointer? {
        cmsBuildParametricToneCurve(nil, parameters.count == 1 ? 1 : 4, parameters)
    }

    /// The bytes of a profile, which is closed.
    private static func bytes(of profile: cmsHPROFILE, _ name: String) -> [UInt8]? {
        defer { cmsCloseProfile(profile) }
        for (tag, text) in [(cmsSigProfileDescriptionTag, name), (cmsSigCopyrightTag, "CC0")] {
            let value = cmsMLUalloc(nil, 1)
            defer { cmsMLUfree(value) }
            cmsMLUsetASCII(value, "en", "US", text)
            cmsWriteTag(profile, tag, UnsafeRawPointer(value))
        }
        // It repeats the primaries.
        cmsWriteTag(profile, cmsSigChromaticityTag, nil)
        var count: cmsUInt32Number = 0
        guard cmsSaveProfileToMem(profile, nil, &count) != 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        guard cmsSaveProfileToMem(profile, &bytes, &count) != 0 else { return nil }
        // The date: 1 January 2024 instead of now.
        bytes.replaceSubrange(24..<36, with: [7, 0xE8, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
        return bytes
    }
}
