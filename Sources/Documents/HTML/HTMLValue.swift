/// An attribute that names images.
struct HTMLPlace: Equatable {
    /// Which URLs of the attribute are image URLs.
    enum Certainty {
        /// All of them.
        case sure
        /// Most likely all of them.
        case likely
        /// Most likely those with an image extension.
        case byExtension
        /// Those with an image extension, and most likely those with a host.
        case byExtensionOrHost
    }

    /// The element's name in lower case.
    var element: String
    /// The attribute's name in lower case; for a `<meta>`, the property that it sets.
    var attribute: String
    var role = Reference.Role.content
    var form = Reference.Form.relative
    var certainty = Certainty.sure
    var urgency: Reference.Urgency?
}

extension HTMLPlace.Certainty {
    /// Whether a URL is most likely an image URL.
    func takes(_ url: Bytes) -> Bool {
        switch self {
        case .sure, .likely: true
        case .byExtension: hasImageExtension(url)
        case .byExtensionOrHost: hasImageExtension(url) || url.namesHost
        }
    }

    /// Whether an accepted URL may still name something else.
    func isGuess(_ url: Bytes) -> Bool {
        switch self {
        case .sure: false
        case .likely, .byExtension: true
        case .byExtensionOrHost: !hasImageExtension(url)
        }
    }
}

/// The kind of a value in HTML, which decides how its URLs are found and written.
enum HTMLValue: Equatable {
    case url(HTMLPlace)
    case srcset(HTMLPlace)
    /// One URL, which names an image if it has an image extension.
    case file(HTMLPlace)
    /// A URL, or a `url()` in CSS, that a script reads.
    case lazy(HTMLPlace)
    /// An HTML page inside an attribute, with the rules for it.
    case page(HTMLRules)
    /// The CSS declarations of a `style` attribute.
    case style
    /// The text of a `<style>` element.
    case styleText
    /// The text of a `<script>` element with JSON-LD.
    case jsonLD
    /// A claim about the image of the same element or of an earlier `<meta>`.
    case claim(Reference.Claim.Kind, HTMLPlace)
    /// A control for imgbake; it contains no URL.
    case control
    /// The width and height of an `<img>`; they contain no URL.
    case size
}

extension HTMLValue {
    var isClaim: Bool { if case .claim = self { true } else { false } }

    /// Whether the value names the element's own image and not a CSS background.
    var namesOwnImage: Bool {
        switch self {
        case .url, .srcset, .file, .lazy: true
        default: false
        }
    }
}

/// One URL in a value, or one claim about an image.
struct HTMLPiece {
    /// The range in the value.
    var range: Range<Int>
    var url: [UInt8]
    var kind: Reference.Kind
    var role = Reference.Role.content
    var form = Reference.Form.relative
    /// Whether the URL may name something other than an image.
    var isGuess = false
    var urgency: Reference.Urgency?
    var notation: Notation
    /// The kind of claim, if the piece is not a URL.
    var claim: Reference.Claim.Kind?
    var fixed: Reference.FixedProperties = []
    /// Whether this is a `srcset` candidate that directly follows another candidate's descriptors.
    var isRemovable = false

    var piece: Outline.Piece {
        Outline.Piece(range: range, url: String(decoding: url, as: UTF8.self))
    }
}

extension HTMLPiece {
    /// Creates a piece from a reference in a page that is an attribute's value.
    ///
    /// - Parameters:
    ///   - located: The reference in the page.
    ///   - quote: The quotation marks of the attribute.
    init(_ located: Located, quote: Notation.Quote) {
        let reference = located.reference
        self.init(
            range: reference.range, url: Array(reference.url.utf8), kind: reference.kind,
            role: reference.role, form: reference.form, isGuess: reference.isGuess,
            urgency: reference.urgency, notation: located.site.notation)
        notation.layers.append(.attribute(quote))
        // Claims in a page inside an attribute are not rewritten.
        fixed = reference.claims.reduce(reference.fixed) { $0.union($1.kind.fixedProperties) }
    }
}

extension HTMLValue {
    /// The URLs and claims in a value.
    ///
    /// - Parameters:
    ///   - decoded: The value after entities are decoded.
    ///   - quote: The quotation marks of the attribute.
    /// - Returns: The pieces in order; none if a template computes the URL.
    func pieces(in reading: Bytes, quote: Notation.Quote) -> [HTMLPiece] {
        switch self {
        case .url(let place):
            let kind = Reference.Kind.htmlAttribute(
                element: place.element, attribute: place.attribute)
            guard !holdsTemplate(reading) else { return [] }
            return urlRanges(in: reading).compactMap {
                piece($0, of: reading, kind, place, Notation(.attribute(quote)))
            }
        case .srcset(let place):
            return srcsetPieces(place, in: reading, quote: quote)
        case .file(let place):
            guard hasImageExtension(reading) else { return [] }
            return HTMLValue.url(place).pieces(in: reading, quote: quote)
        case .claim(let claim, let place):
            return HTMLValue.url(place).pieces(in: reading, quote: quote).map {
                var piece = $0
                piece.claim = claim
                return piece
            }
        case .lazy(let place):
            let value: HTMLValue = reading.namesCSSImage ? .style : .url(place)
            return value.pieces(in: reading, quote: quote)
        case .page(let rules):
            var refusals: [Refusal] = []
            let located = htmlFindings(of: reading, rules: rules).located
            return Located.merged(located, refusals: &refusals).map {
                HTMLPiece($0, quote: quote)
            }
        case .style:
            // The custom properties of an element are mostly used by a style sheet in another
            // folder.
            return css(reading, inCustomProperty: .absolute) {
                Notation(.css($0), .attribute(quote))
            }
        case .styleText:
            return css(reading, inCustomProperty: .absoluteIfKnown) { Notation(.css($0)) }
        case .jsonLD:
            return jsonLDPieces(in: reading)
        case .control, .size: return []
        }
    }

    /// The URL and the descriptors of each candidate, in order.
    private func srcsetPieces(
        _ place: HTMLPlace, in reading: Bytes, quote: Notation.Quote
    ) -> [HTMLPiece] {
        let kind = Reference.Kind.srcset(element: place.element, attribute: place.attribute)
        let notation = Notation(.attribute(quote), rule: .srcset)
        let templates = TemplateRanges(in: reading)
        var pieces: [HTMLPiece] = []
        var isAfterCandidate = false
        for candidate in Srcset.candidates(in: reading) where !candidate.url.isEmpty {
            let wasAfterCandidate = isAfterCandidate
            isAfterCandidate = false
            guard !templates.touch(candidate.url),
                var url = piece(candidate.url, of: reading, kind, place, notation)
            else { continue }
            if templates.touch(candidate.descriptors) {
                url.fixed = .size
                pieces.append(url)
                continue
            }
            url.isRemovable = wasAfterCandidate
            var descriptors = HTMLPiece(
                range: candidate.descriptors, url: reading.copy(candidate.descriptors),
                kind: kind, notation: notation)
            descriptors.claim = .descriptors
            pieces += [url, descriptors]
            isAfterCandidate = true
        }
        return pieces
    }

    /// The number of a piece's notation layers that are visible in the decoded value: all except
    /// that of the attribute.
    func slotLayers(of piece: HTMLPiece) -> Int {
        switch self {
        case .styleText, .jsonLD: piece.notation.layers.count
        default: max(0, piece.notation.layers.count - 1)
        }
    }

    /// The URL at `range`, if it may be an image URL.
    private func piece(
        _ range: Range<Int>, of reading: Bytes, _ kind: Reference.Kind, _ place: HTMLPlace,
        _ notation: Notation
    ) -> HTMLPiece? {
        let url = Bytes(rebasing: reading[range])
        guard place.certainty.takes(url) else { return nil }
        return HTMLPiece(
            range: range, url: Array(url), kind: kind, role: place.role, form: place.form,
            isGuess: place.certainty.isGuess(url), urgency: place.urgency, notation: notation)
    }

    private func css(
        _ reading: Bytes, inCustomProperty form: Reference.Form,
        _ notation: (Notation.Quote) -> Notation
    ) -> [HTMLPiece] {
        CSSScanner.references(in: reading).map {
            HTMLPiece(
                range: $0.range, url: $0.url, kind: $0.kind, role: .background,
                form: $0.isInCustomProperty ? form : .relative, notation: notation($0.quote),
                fixed: $0.fixed)
        }
    }
}

/// Whether `value` contains a template or a JSX expression, so that its text is not the URL.
func holdsTemplate(_ value: some Collection<UInt8>) -> Bool {
    var previous: UInt8 = 0
    for byte in value {
        if TemplateRanges.begin(with: previous, byte) { return true }
        previous = byte
    }
    return value.first == .openBrace
}

extension Bytes {
    /// Whether CSS in these bytes may name an image, possibly with escapes such as `\75rl(`.
    var mayNameCSSImage: Bool {
        namesCSSImage || contains(.backslash) && contains(.openParenthesis)
    }

    /// Whether CSS in these bytes names an image without escapes.
    var namesCSSImage: Bool {
        var start = 0
        while let found = firstIndex(of: .openParenthesis, from: start) {
            if matches("url", at: found - 3) || matches("image-set", at: found - 9) { return true }
            start = found + 1
        }
        return false
    }
}

extension Bytes {
    /// Whether the URL has a host, with or without a scheme.
    var namesHost: Bool {
        matches("http://", at: 0) || matches("https://", at: 0) || matches("//", at: 0)
    }
}

/// Whether a URL's path has an image extension.
func hasImageExtension(_ url: Bytes) -> Bool {
    let path = url.prefix { $0 != .question && $0 != .hash }
    guard let dot = path.lastIndex(of: UInt8(ascii: ".")), path.endIndex - dot <= 6 else {
        return false
    }
    let name = path[(dot + 1)...].prefix { !$0.isHTMLSpace }
    return imageExtensions.contains(Bytes(rebasing: name).lowercasedText)
}

private let imageExtensions: Set<String> = [
    "avif", "gif", "ico", "jfif", "jpeg", "jpg", "png", "svg", "tif", "tiff", "webp",
]

/// The range of the URL in an attribute's value, without the whitespace around it; empty if there
/// is no URL.
func urlRanges(in value: Bytes) -> [Range<Int>] {
    var start = 0
    var end = value.count
    while start < end, value[start].isHTMLSpace { start += 1 }
    while end > start, value[end - 1].isHTMLSpace { end -= 1 }
    return start < end ? [start..<end] : []
}
