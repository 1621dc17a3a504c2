import Documents
import ImageFormats
import Sites

/// A drawing that stands for an image that could not be baked.
///
/// It is an SVG without scripts and without references to other files.
struct FailurePlaceholder: Equatable {
    /// In CSS pixels.
    var width: Int
    var height: Int
    /// The text of the image; empty for an image without meaning.
    var text: String

    /// The size of an image of which nothing is known: that of a replaced element (CSS 2.2, section
    /// 10.3.2).
    static let unknownSize = (width: 300, height: 150)

    /// The bytes of the file; equal placeholders give equal bytes.
    var svg: [UInt8] {
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(width)" height="\#(height)" "#
                + #"viewBox="0 0 \#(width) \#(height)" role="img">"#
        ]
        let title = Self.xml(text)
        if !title.isEmpty { lines.append("<title>\(title)</title>") }
        lines.append(##"<rect width="\##(width)" height="\##(height)" fill="#e8e8e8"/>"##)
        lines.append(
            ##"<path d="M0 0H\##(width)V\##(height)H0Z" fill="none" stroke="#a0a0a0" "##
                + #"stroke-width="\#(max(1, min(width, height) / 100) * 2)"/>"#)
        lines += drawnText
        return Array((lines.joined(separator: "\n") + "\n</svg>\n").utf8)
    }

    /// The size of letters in CSS pixels.
    private var fontSize: Int { max(10, min(32, width / 24, height / 5)) }

    private var drawnText: [String] {
        let lines = wrapped(
            columns: (width - fontSize) * 9 / (fontSize * 5),
            rows: (height - fontSize / 2) * 3 / (fontSize * 4))
        guard !lines.isEmpty else { return [] }
        let step = fontSize * 4 / 3
        let top = (height - step * lines.count) / 2 + fontSize
        let texts = lines.enumerated().map { index, line in
            #"<text x="\#(width / 2)" y="\#(top + step * index)">\#(Self.xml(line))</text>"#
        }
        let group =
            ##"<g font-family="sans-serif" font-size="\##(fontSize)" fill="#404040" "##
            + #"text-anchor="middle">"#
        return [group] + texts + ["</g>"]
    }

    /// The text in lines of `columns` letters; the last of `rows` lines ends with an ellipsis if
    /// there is more.
    private func wrapped(columns: Int, rows: Int) -> [String] {
        guard columns >= 4, rows >= 1 else { return [] }
        var lines: [String] = []
        var line = ""
        words: for word in text.split(whereSeparator: \.isWhitespace) {
            var rest = word
            while !rest.isEmpty {
                let separator = line.isEmpty ? "" : " "
                if Self.columns(line + separator + rest) <= columns {
                    line += separator + rest
                    rest = ""
                } else if line.isEmpty {
                    line = String(rest.prefix(columns / 2))
                    rest = rest.dropFirst(line.count)
                } else {
                    lines.append(line)
                    line = ""
                }
                if lines.count > rows { break words }
            }
        }
        if !line.isEmpty { lines.append(line) }
        guard lines.count > rows else { return lines }
        return lines[..<(rows - 1)] + [lines[rows - 1].prefix(columns - 1) + "…"]
    }

    /// The width of a text in columns; letters of East Asian scripts take two.
    private static func columns(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x1100 ? 2 : 1) }
    }

    /// The text with entities, and without characters that XML does not allow.
    private static func xml(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\t", "\n", "\r": result += " "
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension FailurePlaceholder {
    /// The number of characters of a text that are used; wrapping takes quadratic time.
    private static let longestText = 4_000

    /// The placeholder at a reference.
    ///
    /// The size is the one that the document gives. If it gives only a part of it, the rest follows
    /// from the known size of the image, or from ``unknownSize``.
    ///
    /// - Parameters:
    ///   - reference: The reference.
    ///   - known: The size of the image; nil if it is not known.
    init(at reference: Reference, known: ImageSize?) {
        let natural = known.map { ($0.width, $0.height) } ?? Self.unknownSize
        let ratio = Double(max(1, natural.1)) / Double(max(1, natural.0))
        let width = reference.shown.width ?? reference.describedWidth
        let height = reference.shown.height
        func side(_ value: Double) -> Int { max(1, Int(min(65_535, value).rounded())) }
        self.init(
            width: width ?? side(height.map { Double($0) / ratio } ?? Double(natural.0)),
            height: height ?? side(width.map { Double($0) * ratio } ?? Double(natural.1)),
            text: String((reference.shown.alt ?? "").prefix(Self.longestText)))
    }
}

extension Reference {
    /// The width in the descriptor of a `srcset` candidate, as in `800w`.
    fileprivate var describedWidth: Int? {
        let descriptors = claims.first { $0.kind == .descriptors }?.text ?? ""
        for word in descriptors.split(whereSeparator: \.isWhitespace) where word.hasSuffix("w") {
            if let width = Int(word.dropLast()), (1...65_535).contains(width) { return width }
        }
        return nil
    }

    /// Whether a placeholder may stand for the image.
    ///
    /// Feed readers, social networks and systems do not show SVG, and a link leads to a file.
    package var takesPlaceholder: Bool {
        switch role {
        case .content, .background, .poster: !isGuess && !fixed.contains(.format)
        default: false
        }
    }

    /// The format that a claim gives for the image.
    var claimedFormat: ImageFormat? {
        let claim = claims.first { $0.kind == .mediaType }?.text
        return claim.flatMap { text in ImageFormat.all.first { $0.isMediaType(text) } }
    }
}
