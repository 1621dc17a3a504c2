import DocumentSyntax

/// Reads the full URLs in a script or in data.
///
/// These are strings that are a URL or a `srcset`, and the images of HTML in strings. A string may
/// be JSON, with further strings. Whether a URL is that of an image is not known here. A string that
/// is joined with others, a key, a comment and the name of a module are not read, nor are texts and
/// links in HTML.
struct DataReader: Equatable, Sendable {
    /// The language of the text.
    enum Syntax: Sendable {
        case script, json
        /// The rows of React's flight data.
        case rows
        /// A script that adds a part to the flight data of its page, which is read as a whole.
        case push
    }

    let syntax: Syntax
    /// Whether the text is the value of an attribute in HTML.
    let isAttribute: Bool
    /// The rules for HTML in strings.
    private let rules: HTMLRules
    /// URLs that count although they may not be full ones.
    private var accepted: Set<String>

    /// The size of the largest text that is read, in bytes.
    private static let largest = 16 << 20
    /// How many strings may be around a string, each of which is JSON.
    private static let deepest = 4

    init(_ syntax: Syntax, _ page: HTMLRules, isAttribute: Bool = false) {
        self.syntax = syntax
        self.isAttribute = isAttribute
        rules = HTMLRules(options: ExtractionOptions(lazyAttributes: page.lazyAttributes))
        accepted = page.acceptedURLs
    }

    /// The URLs in a text, in order; none if the text cannot be read with certainty.
    func pieces(in text: UnsafeBytes) -> [HTMLPiece] {
        guard text.count <= Self.largest else { return [] }
        var pieces: [HTMLPiece] =
            switch syntax {
            case .script: self.pieces(inScript: text)
            case .json: self.pieces(inJSON: text, depth: 0) ?? []
            case .rows: self.pieces(inRows: text)
            case .push: []
            }
        if pieces.isEmpty { return [] }
        pieces = pieces.inOrder { $0.piece.range.lowerBound < $1.piece.range.lowerBound }
        // A member, such as `"avatar":`, may say that a URL without an extension is an image's.
        let images = text.imageURLs(in: 0..<text.count)
        for index in pieces.indices {
            let range = pieces[index].piece.range
            let first = images.firstSortedIndex { $0.upperBound > range.lowerBound }
            pieces[index].isGuess =
                !(first < images.count && images[first].lowerBound < range.upperBound)
        }
        return pieces
    }

    /// Whether a text has the URLs of a slot in its places, and no other full URLs.
    func reads(_ text: UnsafeBytes, as slot: Outline.Slot) -> Bool {
        if syntax == .push { return FlightRow.pushed(by: text) != nil }
        var reader = self
        reader.accepted = Set(slot.pieces.map { $0.url(in: slot.value) })
        return Self.isSame(reader.pieces(in: text), as: slot)
    }

    /// Whether the URLs of a text are those of a slot, besides URLs that are no full ones.
    static func isSame(_ pieces: [HTMLPiece], as slot: Outline.Slot) -> Bool {
        let places = Set(slot.pieces.map(\.range))
        let found = pieces.map(\.piece).filter { piece in
            places.contains(piece.range) || isFullURL(piece.url(in: slot.value))
        }
        return found.map(\.range) == slot.pieces.map(\.range)
            && found.map { $0.url(in: slot.value) }
                == slot.pieces.map { $0.url(in: slot.value) }
    }
}

// The texts.
extension DataReader {
    private func pieces(inScript text: UnsafeBytes) -> [HTMLPiece] {
        // Its texts have the length of what they replace beside them.
        if text.containsExactly("__next_f") { return [] }
        var pieces: [HTMLPiece] = []
        let isRead = ScriptScanner.read(text) { literal in
            // The texts of a template are searched without what is between them.
            let mayNameURL = !literal.substitutions.isEmpty || mayNameURL(text, literal.range)
            guard literal.isValue, mayNameURL, let placed = literal.text(in: text) else { return }
            let isShown = !text.isTextOrLink(
                literal.range, in: literal.bracket, isFirst: literal.isFirst)
            let found = placed.bytes.withUnsafeBufferPointer {
                self.pieces(inString: $0, depth: 0, mayBeURL: isShown)
            }
            pieces += found.map { $0.embedded(in: text, at: placed.place(of: $0.piece.range)) }
        }
        return isRead ? pieces : []
    }

    private func pieces(inRows text: UnsafeBytes) -> [HTMLPiece] {
        var pieces: [HTMLPiece] = []
        for (number, row) in (FlightRow.all(in: text) ?? []).enumerated() {
            let content = UnsafeBytes(rebasing: text[row.content])
            guard mayNameURL(text, row.content) else { continue }
            let found =
                row.length == nil
                ? self.pieces(inJSON: content, depth: 0) ?? []
                : self.pieces(inString: content, depth: 0)
            if let length = row.length, !found.isEmpty {
                pieces.append(
                    HTMLPiece(
                        range: length, url: text[length], kind: .data, notation: Notation(),
                        flight: FlightText(row: number, count: nil)))
            }
            pieces += found.map { piece in
                var piece = piece
                if row.length != nil {
                    piece.flight = FlightText(row: number, count: piece.piece.range.count)
                }
                piece.piece.range = piece.piece.range.shifted(by: row.content.lowerBound)
                return piece
            }
        }
        return pieces
    }

    /// The URLs in JSON; nil if the text is something else.
    private func pieces(inJSON text: UnsafeBytes, depth: Int) -> [HTMLPiece]? {
        var pieces: [HTMLPiece] = []
        let isRead = JSONScanner.read(text) { path, range, _ in
            guard mayNameURL(text, range),
                let placed = StringEscapes.json.placed(
                    UnsafeBytes(rebasing: text[range]), at: range.lowerBound)
            else { return }
            let isShown =
                path.last != "children" && !text.isTextOrLink(range)
            let found = placed.bytes.withUnsafeBufferPointer {
                self.pieces(inString: $0, depth: depth, mayBeURL: isShown)
            }
            pieces += found.map { $0.embedded(in: text, at: placed.place(of: $0.piece.range)) }
        }
        return isRead ? pieces : nil
    }

    private func pieces(
        inString text: UnsafeBytes, depth: Int, mayBeURL: Bool = true
    ) -> [HTMLPiece] {
        if accepts(text) {
            return mayBeURL ? [piece(at: 0..<text.count, in: text)].compactMap(\.self) : []
        }
        if let set = pieces(inSet: text) { return set }
        let first = text.first { !$0.isHTMLSpace }
        let mayBeJSON = first == .openBrace || first == .openBracket || first == .doubleQuote
        if mayBeJSON, depth < Self.deepest, let pieces = pieces(inJSON: text, depth: depth + 1) {
            return pieces
        }
        let mayBeHTML = text.contains(.less) && mayNameURL(text, 0..<text.count)
        return mayBeHTML ? pieces(inHTML: text) : []
    }

    /// The URLs of a `srcset`; nil if the text is none, or has an item that is no full URL.
    private func pieces(inSet text: UnsafeBytes) -> [HTMLPiece]? {
        guard let first = text.first, !first.isHTMLSpace, text.contains(.space) else { return nil }
        var pieces: [HTMLPiece] = []
        var hasDescriptor = false
        for candidate in Srcset(text) {
            let descriptor = UnsafeBytes(rebasing: text[candidate.descriptors])
            guard accepts(UnsafeBytes(rebasing: text[candidate.url])),
                candidate.descriptors.isEmpty || descriptor.isImageDescriptor,
                var piece = piece(at: candidate.url, in: text)
            else { return nil }
            hasDescriptor = hasDescriptor || !candidate.descriptors.isEmpty
            if descriptor.last == UInt8(ascii: "w") { piece.fixed = .size }
            pieces.append(piece)
        }
        return hasDescriptor ? pieces : nil
    }

    private func pieces(inHTML text: UnsafeBytes) -> [HTMLPiece] {
        var problems: [DocumentProblem] = []
        let located = htmlFindings(of: text, rules: rules).located
        return LocatedReference.merged(located, problems: &problems).compactMap { one in
            let url = one.reference.url
            guard isShown(one.reference.kind), Self.isFullURL(url) || accepted.contains(url) else {
                return nil
            }
            var piece = HTMLPiece(one)
            (piece.kind, piece.role, piece.form) = (.data, .content, .rooted)
            piece.notation.percentEncoding = .strict
            return piece
        }
    }

    /// Whether HTML loads the image of a reference of this kind to show it.
    private func isShown(_ kind: Reference.Kind) -> Bool {
        switch kind {
        case .htmlAttribute(_, let name), .srcset(_, let name):
            name == "src" || name == "srcset" || name == "poster" || name.hasPrefix("data-")
                || rules.options.lazyAttributes.contains(name)
        default: false
        }
    }

    private func piece(at range: Range<Int>, in text: UnsafeBytes) -> HTMLPiece? {
        guard text.isUTF8(range), ParserLimits.takePlace() else { return nil }
        return HTMLPiece(
            range: range, url: text[range], kind: .data, form: .rooted,
            notation: Notation(percentEncoding: .strict))
    }

    private func mayNameURL(_ text: UnsafeBytes, _ range: Range<Int>) -> Bool {
        !accepted.isEmpty || text.mayNameURL(range)
    }

    private func accepts(_ text: UnsafeBytes) -> Bool {
        text.isFullURL
            || !accepted.isEmpty && accepted.contains(String(decoding: text, as: UTF8.self))
    }

    private static func isFullURL(_ url: String) -> Bool {
        var url = url
        return url.withUTF8(\.isFullURL)
    }
}

extension ScriptScanner.Literal {
    /// The text without escapes, and with `${}` for each substitution; nil if it is not known.
    fileprivate func text(in script: UnsafeBytes) -> PlacedText? {
        var result = PlacedText()
        var start = range.lowerBound
        for substitution in substitutions + [range.upperBound..<range.upperBound] {
            let part = UnsafeBytes(rebasing: script[start..<substitution.lowerBound])
            if isTagged, part.contains(.backslash) { return nil }
            guard StringEscapes.script.add(part, at: start, to: &result) else { return nil }
            if !substitution.isEmpty { result.add("${}".utf8, for: substitution.lowerBound) }
            start = substitution.upperBound
        }
        return result
    }
}

extension HTMLPiece {
    /// The piece of a string as a piece of the text around the string.
    func embedded(in text: UnsafeBytes, at range: Range<Int>) -> HTMLPiece {
        var result = self
        result.piece.range = range
        result.notation.layers.append(text.layer(ofStringWith: range))
        return result
    }
}

extension DataReader {
    /// Whether a document may have a full URL, with or without escapes.
    static func mayNameURLs(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { $0.mayNameURL(0..<$0.count) }
    }

    /// Whether the value of an attribute may be an object or a list.
    static func mayBeJSON(_ bytes: UnsafeBytes, _ value: Range<Int>) -> Bool {
        guard value.count >= ImageURLs.shortest else { return false }
        let first = bytes[value].first { !$0.isHTMLSpace }
        return first == .openBrace || first == .openBracket
    }
}

extension UnsafeBytes {
    /// Whether the text at `range` may have a full URL, with or without escapes.
    fileprivate func mayNameURL(_ range: Range<Int>) -> Bool {
        let text = UnsafeBytes(rebasing: self[range])
        guard text.count >= ImageURLs.shortest else { return false }
        return text.containsExactly("//") || text.contains(.backslash) || text.contains(.ampersand)
    }

    /// Whether the text is one URL with a host, and nothing else.
    fileprivate var isFullURL: Bool {
        guard count >= ImageURLs.shortest, namesHost, let slash = firstIndex(of: .slash, from: 0),
            slash + 2 < count,
            self[slash + 2].isASCIIAlphanumeric || self[slash + 2] >= 0x80
        else { return false }
        return allSatisfy { byte in
            switch byte {
            case 0...0x20, 0x7F, .doubleQuote, .singleQuote, .less, .greater, .backtick,
                .backslash, .openBrace, .closeBrace:
                false
            default: true
            }
        }
    }

    /// Whether the text is a descriptor of a `srcset`: ` 800w` or ` 1.5x`.
    fileprivate var isImageDescriptor: Bool {
        let range = trimmingWhitespace(0..<count)
        guard range.count > 1, let unit = self[range].last else { return false }
        let digits = self[range].dropLast()
        let point = UInt8(ascii: ".")
        return (unit == UInt8(ascii: "w") || unit == UInt8(ascii: "x"))
            && digits.allSatisfy { $0.isASCIIDigit || $0 == point && unit == UInt8(ascii: "x") }
            && digits.filter { $0 == point }.count <= 1
    }

    /// How a URL is written in the string that has another one at `range`: with the slashes of that
    /// one.
    fileprivate func layer(ofStringWith range: Range<Int>) -> Notation.Layer {
        var index = range.lowerBound
        while let found = firstIndex(of: .backslash, from: index), found + 1 < range.upperBound {
            if self[found + 1] == .slash { return .stringWithSlashes }
            if matches("u002f", at: found + 1) { return .stringWithUnicodeSlashes }
            if matches("x2f", at: found + 1) { return .stringWithHexSlashes }
            index = found + 2
        }
        return .jsonString
    }
}
