/// The width of images on a page for each width of the window, as pieces `a·vw + b px`.
///
/// Its text is the value of a `sizes` attribute that has nothing but numbers:
/// `(min-width: 900px) 700px, calc(100vw - 40px)`.
package struct WidthPieces: Hashable, Sendable {
    /// A width that counts from one width of the window up to the next piece.
    package struct Piece: Hashable, Sendable {
        /// The smallest width of the window in pixels; 0 for the first piece.
        package var start: Int
        /// The part of the width of the window, in percent.
        package var percent: Double
        /// In pixels.
        package var offset: Double

        package init(from start: Int, percent: Double, offset: Double) {
            self.start = start
            self.percent = percent
            self.offset = offset
        }

        /// The width in pixels in a window.
        package func width(in window: Double) -> Double {
            max(0, percent / 100 * window + offset)
        }
    }

    /// In ascending order of their starts; the first begins at 0.
    package let pieces: [Piece]

    /// The most pieces.
    package static let most = 16

    /// - Returns: nil if the pieces are too many, in no order, or do not begin at 0.
    package init?(_ pieces: [Piece]) {
        guard pieces.first?.start == 0, pieces.count <= Self.most,
            zip(pieces, pieces.dropFirst()).allSatisfy({ $0.start < $1.start })
        else { return nil }
        self.pieces = pieces
    }

    /// The width in pixels in a window.
    package func width(in window: Double) -> Double {
        let piece = pieces.last { Double($0.start) <= window } ?? pieces[0]
        return piece.width(in: window)
    }
}

extension WidthPieces {
    /// The widths of an image that is never wider than a number of pixels.
    package func limited(to pixels: Int) -> WidthPieces {
        let limit = Double(pixels)
        var result: [Piece] = []
        func add(_ piece: Piece) {
            let isSame = result.last.map {
                $0.percent == piece.percent && $0.offset == piece.offset
            }
            if isSame != true { result.append(piece) }
        }
        for (index, piece) in pieces.enumerated() {
            let end = index + 1 < pieces.count ? pieces[index + 1].start : Int.max
            let fixed = Piece(from: piece.start, percent: 0, offset: limit)
            let isWider = piece.width(in: Double(piece.start)) > limit
            add(isWider ? fixed : piece)
            if piece.percent == 0 { continue }
            // The window in which the piece reaches the limit.
            let meeting = ((limit - piece.offset) / piece.percent * 100).rounded(.up)
            guard meeting > Double(piece.start), meeting < Double(min(end, 100_000)) else {
                continue
            }
            var other = isWider ? piece : fixed
            other.start = Int(meeting)
            add(other)
        }
        return WidthPieces(result) ?? self
    }

    /// The value of a `sizes` attribute.
    package var text: String {
        pieces.reversed().map { piece in
            (piece.start == 0 ? "" : "(min-width: \(piece.start)px) ") + piece.text
        }.joined(separator: ", ")
    }

    /// Reads what ``text`` gives; nil for any other value of a `sizes` attribute.
    package init?(_ text: String) {
        guard text.utf8.count <= 2_000 else { return nil }
        var pieces: [Piece] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let piece = Piece(part.drop { $0 == " " }) else { return nil }
            pieces.append(piece)
        }
        self.init(pieces.reversed())
    }
}

extension WidthPieces: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let pieces = WidthPieces(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no widths")
        }
        self = pieces
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension WidthPieces.Piece {
    fileprivate var text: String {
        if percent == 0 { return number(offset) + "px" }
        if offset == 0 { return number(percent) + "vw" }
        let sign = offset < 0 ? "-" : "+"
        return "calc(\(number(percent))vw \(sign) \(number(abs(offset)))px)"
    }

    /// Numbers have at most five digits on both sides of their points.
    fileprivate init?(_ text: Substring) {
        let form =
            #/
            (?: \(min-width:\ ([1-9][0-9]{0,4})px\)\  )?
            (?: calc\( (-?[0-9]{1,5}(?:\.[0-9]{1,5})?) vw\ ([+\-])\  ([0-9]{1,5}(?:\.[0-9]{1,5})?) px\)
                | (-?[0-9]{1,5}(?:\.[0-9]{1,5})?) vw
                | (-?[0-9]{1,5}(?:\.[0-9]{1,5})?) px
            )
            /#
        guard let found = text.wholeMatch(of: form)?.output else { return nil }
        func number(_ text: Substring?) -> Double { text.flatMap { Double($0) } ?? 0 }
        self.init(
            from: found.1.flatMap { Int($0) } ?? 0, percent: number(found.2 ?? found.5),
            offset: found.3 == "-" ? -number(found.4) : number(found.4 ?? found.6))
    }
}

/// A number with up to four decimals and no zeros at its end.
private func number(_ value: Double) -> String {
    // Zero has no sign.
    let text = "\((value * 10_000).rounded() / 10_000 + 0)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
