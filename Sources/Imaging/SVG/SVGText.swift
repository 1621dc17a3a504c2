internal import CVips
import ImageFormats
import Recipes
import SafeSVG

/// The text of an SVG in UTF-8.
///
/// A parser that guesses the encoding could guess another one than the browser. So every parser gets
/// UTF-8, and so does the browser: an SVG in another encoding is converted.
struct SVGText {
    /// The text without a byte order mark and an XML declaration.
    let bytes: [UInt8]
    let hasDeclaration: Bool

    /// - Throws: ``JobResult/JobError`` if the encoding is not certain.
    init(_ document: [UInt8]) throws(JobResult.JobError) {
        var text = document
        var isCertain = true
        if let converted = UTF16Text.utf8(document) {
            guard document.count % 2 == 0 else {
                throw JobResult.JobError(.corrupt, "the SVG is cut short")
            }
            text = converted
        } else if document.starts(with: [0xEF, 0xBB, 0xBF]) {
            text = Array(document.dropFirst(3))
        } else {
            isCertain = false
        }
        let declaration = try Self.declaration(in: text)
        if !isCertain { text = try Self.converted(text, from: declaration?.encoding ?? "utf-8") }
        if let place = text.firstIndex(of: 0) {
            throw JobResult.JobError(
                .corrupt, "the SVG has a zero byte (line \(text.line(of: place)))")
        }
        guard String(validating: text, as: UTF8.self) != nil else {
            throw JobResult.JobError(.corrupt, "the SVG is not well-formed XML: it is not UTF-8")
        }
        hasDeclaration = declaration != nil
        guard let range = declaration?.range else {
            bytes = text
            return
        }
        // The lines keep their numbers.
        let lines = text[range].count { $0 == 0x0A }
        bytes = [UInt8](repeating: 0x0A, count: lines) + text[range.upperBound...]
    }

    private static func declaration(
        in text: [UInt8]
    ) throws(JobResult.JobError) -> XMLDeclaration? {
        guard text.starts(with: "<?xml".utf8), text.count > 5, text[5].isXMLSpace else {
            return nil
        }
        guard let declaration = XMLDeclaration(text, at: 0) else {
            throw JobResult.JobError(.unsafe, "the SVG has an unclear XML declaration (line 1)")
        }
        return declaration
    }

    /// The text from an encoding in which every byte below 128 is the ASCII character.
    private static func converted(
        _ text: [UInt8], from encoding: String
    ) throws(JobResult.JobError) -> [UInt8] {
        let name = encoding.localName
        if name == "utf-8" || name == "utf8" { return text }
        let isASCII = text.allSatisfy { $0 < 0x80 }
        if isASCII, supersets.contains(where: name.hasPrefix) { return text }
        guard let differences = western[name] else {
            throw JobResult.JobError(
                .unsafe, "the SVG's encoding \(name) is not supported; save it as UTF-8")
        }
        var converted: [UInt8] = []
        for byte in text {
            let scalar = differences[byte] ?? Unicode.Scalar(byte)
            converted += byte < 0x80 ? [byte] : Array(String(Character(scalar)).utf8)
        }
        return converted
    }

    /// The beginnings of the names of encodings in which ASCII characters are single bytes, and
    /// which no byte below 128 switches to another alphabet.
    private static let supersets = [
        "ascii", "us-ascii", "iso-8859-", "latin", "windows-125", "cp125", "koi8-", "gb2312", "gbk",
        "gb18030", "big5", "euc-", "shift_jis", "macintosh",
    ]

    /// The bytes that are not the character of their number, by the names of the encodings.
    ///
    /// Browsers read Latin-1 and ASCII as windows-1252 (Encoding Standard, section 4.2).
    private static let western: [String: [UInt8: Unicode.Scalar]] = [
        "ascii": windows1252, "us-ascii": windows1252, "iso-8859-1": windows1252,
        "latin1": windows1252, "windows-1252": windows1252, "cp1252": windows1252,
        "iso-8859-15": [
            0xA4: "€", 0xA6: "Š", 0xA8: "š", 0xB4: "Ž", 0xB8: "ž", 0xBC: "Œ", 0xBD: "œ",
            0xBE: "Ÿ",
        ],
    ]

    private static let windows1252: [UInt8: Unicode.Scalar] = [
        0x80: "€", 0x82: "‚", 0x83: "ƒ", 0x84: "„", 0x85: "…", 0x86: "†", 0x87: "‡", 0x88: "ˆ",
        0x89: "‰", 0x8A: "Š", 0x8B: "‹", 0x8C: "Œ", 0x8E: "Ž", 0x91: "‘", 0x92: "’", 0x93: "“",
        0x94: "”", 0x95: "•", 0x96: "–", 0x97: "—", 0x98: "˜", 0x99: "™", 0x9A: "š", 0x9B: "›",
        0x9C: "œ", 0x9E: "ž", 0x9F: "Ÿ",
    ]
}

/// The format of SVGZ (RFC 1952), read by the zlib of GLib.
enum Gzip {
    /// - Throws: ``JobResult/JobError`` if the file is damaged, or holds more than `limit` bytes.
    static func inflated(
        _ file: borrowing SourceFile, limit: Int
    ) throws(JobResult.JobError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = bytes.withUnsafeMutableBytes { buffer in
            cvips_inflate(
                file.start, gsize(file.count), buffer.baseAddress, gsize(buffer.count), 1)
        }
        guard count >= 0 else {
            throw JobResult.JobError(.corrupt, "the gzip stream is damaged or cut short")
        }
        guard count <= limit else {
            throw JobResult.JobError(.unsafe, "the SVG has more than \(limit >> 20) MiB")
        }
        return Array(bytes.prefix(count))
    }
}
