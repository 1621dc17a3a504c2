internal import CZlib

/// Detects a format by the first bytes of a file; its name and Content-Type are ignored.
///
/// The rules are the image patterns of the WHATWG MIME Sniffing standard (section 6.1) and the
/// signatures of formats that are newer than it.
package enum ImageSniffer {
    package enum Verdict: Hashable, Sendable {
        case format(ImageFormat)
        /// Not an image; the phrase names the actual type, such as `a PDF document`, if it is
        /// known.
        case other(String?)
        /// More bytes are needed to decide.
        case undecided
    }

    /// The number of bytes that are examined; if they are not sufficient, the file is not an image.
    package static let longestPrefix = 65_536

    /// The verdict on a file that begins with `bytes`; `isWhole` means that there are no more
    /// bytes.
    package static func verdict(on bytes: [UInt8], isWhole: Bool) -> Verdict {
        let mayGrow = !isWhole && bytes.count < longestPrefix
        // The brands that decide may be in the rest of the first box.
        if mayGrow, let box = firstBox(of: bytes), bytes.count < box.upperBound {
            return .undecided
        }
        if let format = ImageFormat.all.first(where: { $0.hasSignature(of: bytes) }) {
            return .format(format)
        }
        // All signatures end within the first 16 bytes.
        if mayGrow, bytes.count < 16 { return .undecided }
        if bytes.starts(with: Gzip.signature) {
            switch Gzip.root(of: bytes) {
            case .element("svg"): return .format(.svgz)
            case .undecided where mayGrow: return .undecided
            default: return .other("a file compressed by gzip")
            }
        }
        if let phrase = foreignPhrase(of: bytes) { return .other(phrase) }
        switch MarkupSniffer.root(of: bytes) {
        case .undecided where mayGrow: return .undecided
        case .element("svg"): return .format(.svg)
        case .element("html"): return .other("an HTML page")
        case .element(let name): return .other("an XML document (\(name))")
        default: return .other(isText(bytes) ? "text" : nil)
        }
    }

    /// Whether bytes have no control character, and are no unfinished markup.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first != UInt8(ascii: "<") else { return false }
        return bytes.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) || $0 == 0x1B }
    }

    /// The verdict on a complete file, or on one of which only the first ``longestPrefix`` bytes are
    /// given.
    ///
    /// An XML document whose root does not follow in these bytes counts as an SVG; the parser
    /// decides.
    package static func verdict(onSource bytes: [UInt8]) -> Verdict {
        let verdict = verdict(on: bytes, isWhole: true)
        let isUnknown = verdict == .other(nil) || verdict == .undecided
        return isUnknown && bytes.first == UInt8(ascii: "<") ? .format(.svg) : verdict
    }

    /// A phrase for a type of file that is sometimes mistaken for an image.
    private static func foreignPhrase(of bytes: [UInt8]) -> String? {
        if let brand = brands(of: bytes).first {
            return "a film or another file of kind \(brand)"
        }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.count >= 12 {
            return "a RIFF file of kind \(String(decoding: bytes[8..<12], as: UTF8.self))"
        }
        return foreign.first { bytes.starts(with: $0.bytes) }?.phrase
    }

    private static let foreign: [(bytes: [UInt8], phrase: String)] = [
        (Array("8BPS".utf8), "a Photoshop document"),
        (Array("%PDF-".utf8), "a PDF document"),
        (Array("%!PS".utf8), "a PostScript document"),
    ]

    /// The brands in the first box of an ISO base media file, the major one first.
    package static func brands(of bytes: [UInt8]) -> [String] {
        guard let box = firstBox(of: bytes)?.clamped(to: 0..<bytes.count), box.count >= 4 else {
            return []
        }
        // The minor version is between the major brand and the others.
        let others = stride(from: box.lowerBound + 8, through: box.upperBound - 4, by: 4)
        return ([box.lowerBound] + others).map {
            String(decoding: bytes[$0..<$0 + 4], as: UTF8.self)
        }
    }

    /// The content of the first box of an ISO base media file, of which the end may be missing; nil
    /// for any other file.
    private static func firstBox(of bytes: [UInt8]) -> Range<Int>? {
        let box = bytes.withUnsafeBytes { ISOBox($0, at: 0, end: .max) }
        return box?.name == "ftyp" ? box?.content : nil
    }
}

extension ImageFormat {
    /// The format of a file that is no image, by its first bytes; nil for a file of another kind.
    package static func other(_ bytes: [UInt8], ofKind kind: Kind) -> ImageFormat? {
        others.first { $0.kind == kind && $0.hasSignature(of: bytes) }
    }

    fileprivate func hasSignature(of bytes: [UInt8]) -> Bool {
        self.signatures.contains { signature in
            switch signature {
            case .bytes(let pattern):
                bytes.count >= pattern.count
                    && zip(pattern, bytes).allSatisfy { $0 == nil || $0 == $1 }
            case .brands(let brands):
                !brands.isDisjoint(with: ImageSniffer.brands(of: bytes))
            }
        }
    }
}

/// Reads a file that is compressed by gzip (RFC 1952).
package enum Gzip {
    static let signature: [UInt8] = [0x1F, 0x8B, 8]

    /// The root of the compressed XML document, by at most ``ImageSniffer/longestPrefix`` bytes.
    static func root(of bytes: [UInt8]) -> MarkupSniffer.Root {
        MarkupSniffer.root(of: beginning(of: bytes, most: ImageSniffer.longestPrefix))
    }

    /// The first bytes of what is compressed; a damaged or cut file ends early.
    package static func beginning(of bytes: [UInt8], most: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            count = bytes.withUnsafeBytes { input in
                guard let start = input.baseAddress, let target = room.baseAddress else { return 0 }
                return Int(czlib_beginning(start, UInt32(input.count), target, UInt32(most)))
            }
        }
    }
}
