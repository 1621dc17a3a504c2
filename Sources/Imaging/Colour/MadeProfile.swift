internal import CLittleCMS

/// x and y of white, red, green and blue.
enum Chromaticities {
    static let sRGB = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
}

/// Makes colour profiles (ICC.1:2022) with Little CMS; the same values give the same bytes.
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

    /// The profile of Display P3.
    static let displayP3 = colour(
        [0.3127, 0.3290, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06], standardCurve, name: "Display P3")

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
