import Glibc
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
        let (bytes, tags) = (profile.bytes, profile.tags)
        guard bytes.count <= Self.longest, profile.space == .colour,
            bytes[20..<24].elementsEqual("XYZ ".utf8)
        else { return nil }
        // A table takes precedence over the primaries.
        guard tags["A2B0"] == nil, let curve = tags["rTRC"],
            let middle = Self.value(ofCurve: bytes[curve])
        else { return nil }
        var primaries: [Double] = []
        for name in ["rXYZ", "gXYZ", "bXYZ"] {
            guard let range = tags[name], range.count >= 20 else { return nil }
            primaries += (0..<3).map { Self.fixed(bytes, range.lowerBound + 8 + 4 * $0) }
        }
        self.bytes = bytes
        self.primaries = primaries
        self.middle = middle
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
        return isNear(Self.displayP3) && abs(middle - 0.214) < 0.006 ? Self.smallDisplayP3 : bytes
    }

    private func isNear(_ other: [Double]) -> Bool {
        zip(primaries, other).allSatisfy { abs($0 - $1) < 0.006 }
    }

    /// The value of a curve at 0.5, of the type `curv` or `para`.
    private static func value(ofCurve curve: ArraySlice<UInt8>) -> Double? {
        let bytes = Array(curve)
        guard bytes.count >= 12 else { return nil }
        if bytes.starts(with: "para".utf8) {
            let kind = bytes[8..<10].bigEndianNumber
            guard kind <= 4, bytes.count >= [16, 24, 28, 32, 40][kind] else { return nil }
            let gamma = fixed(bytes, 12)
            if kind == 0 { return pow(0.5, gamma) }
            return pow(fixed(bytes, 16) * 0.5 + fixed(bytes, 20), gamma)
        }
        guard bytes.starts(with: "curv".utf8) else { return nil }
        let count = bytes[8..<12].bigEndianNumber
        guard count > 0 else { return 0.5 }
        guard bytes.count >= 12 + 2 * count else { return nil }
        if count == 1 { return pow(0.5, Double(bytes[12..<14].bigEndianNumber) / 256) }
        let place = Double(count - 1) / 2
        let (low, high) = (Int(place.rounded(.down)), Int(place.rounded(.up)))
        let sum = [low, high].reduce(0) {
            $0 + bytes[12 + 2 * $1..<14 + 2 * $1].bigEndianNumber
        }
        return Double(sum) / 2 / 65_535
    }

    /// A signed number with 16 bits after the point.
    private static func fixed(_ bytes: [UInt8], _ place: Int) -> Double {
        let number = bytes[place..<place + 4].bigEndianNumber
        return Double(Int32(truncatingIfNeeded: number)) / 65_536
    }
}

// MARK: - Display P3

extension MatrixProfile {
    /// Display P3 as a profile of version 4: its primaries, and the curve of sRGB as a formula.
    static let smallDisplayP3: [UInt8] = {
        let curve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
        let adaptation = [
            1.047811, 0.022887, -0.050127, 0.029542, 0.990484, -0.017049, -0.009235, 0.015044,
            0.752132,
        ]
        let tags: [(names: [String], data: [UInt8])] = [
            (["desc"], text("Display P3")), (["cprt"], text("CC0")),
            (["wtpt"], xyz([0.9642, 1, 0.8249])), (["rXYZ"], xyz(displayP3[0..<3])),
            (["gXYZ"], xyz(displayP3[3..<6])), (["bXYZ"], xyz(displayP3[6..<9])),
            (["rTRC", "gTRC", "bTRC"], type("para") + [0, 3, 0, 0] + curve.flatMap(fixed)),
            (["chad"], type("sf32") + adaptation.flatMap(fixed)),
        ]
        let count = tags.reduce(0) { $0 + $1.names.count }
        var place = 128 + 4 + 12 * count
        var table = number(count)
        var data: [UInt8] = []
        for tag in tags {
            for name in tag.names {
                table += Array(name.utf8) + number(place) + number(tag.data.count)
            }
            let padded = tag.data + [UInt8](repeating: 0, count: -tag.data.count & 3)
            data += padded
            place += padded.count
        }
        return header(size: place) + table + data
    }()

    private static func header(size: Int) -> [UInt8] {
        let none = [UInt8](repeating: 0, count: 4)
        var header = number(size) + none + [4, 0x40, 0, 0] + Array("mntrRGB XYZ ".utf8)
        // A date is required: 1 January 2024.
        header += [7, 0xE8, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
        header += [UInt8](repeating: 0, count: 28)
        header += [0.9642, 1, 0.8249].flatMap(fixed)
        return header + [UInt8](repeating: 0, count: 128 - header.count)
    }

    private static func text(_ text: String) -> [UInt8] {
        let characters = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return type("mluc") + number(1) + number(12) + Array("enUS".utf8)
            + number(characters.count) + number(28) + characters
    }

    private static func xyz(_ values: some Collection<Double>) -> [UInt8] {
        type("XYZ ") + values.flatMap(fixed)
    }

    private static func type(_ name: String) -> [UInt8] { Array(name.utf8) + [0, 0, 0, 0] }

    private static func fixed(_ value: Double) -> [UInt8] {
        number(Int((value * 65_536).rounded()))
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
