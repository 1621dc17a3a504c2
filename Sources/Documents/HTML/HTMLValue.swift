/// An attribute that names images.
struct HTMLPlace: Equatable {
    /// Which of its URLs are those of images.
    enum Certainty {
        /// All.
        case sure
        /// All, most likely.
        case likely
        /// Those that end like the names of images, most likely.
        case byExtension
        /// Those that end like the names of images; those that name a host, most likely.
        case byExtensionOrHost
    }

    /// The element's name in lower case.
    var element: String
    /// The attribute's name in lower case; of a `<meta>`, the property that it gives.
    var attribute: String
    var role = Reference.Role.content
    var form = Reference.Form.relative
    var certainty = Certainty.sure
    var urgency: Reference.Urgency?
}

extension HTMLPlace.Certainty {
    /// Whether a URL is most likely that of an image.
    func takes(_ url: Bytes) -> Bool {
        switch self {
        case .sure, .likely: true
        case .byExtension: hasImageExtension(url)
        case .byExtensionOrHost: hasImageExtension(url) || url.namesHost
        }
    }

    /// Whether a URL that is taken may still name something else.
    func isGuess(_ url: Bytes) -> Bool {
        switch self {
        case .sure: false
        case .likely, .byExtension: true
        case .byExtensionOrHost: !hasImageExtension(url)
        }
    }
}

/// What a value in HTML holds, and so how its URLs are found and written.
enum HTMLValue: Equatable {
    case url(HTMLPlace)
    case srcset(HTMLPlace)
    /// One URL that names an image if its path ends as those of images do.
    case file(HTMLPlace)
    /// A URL, or a `url()` of CSS, for a script.
    case lazy(HTMLPlace)
    /// A page within the page, with the rules for it.
    case page(HTMLRules)
    /// Declarations of CSS in a `style` attribute.
    case style
    /// The text of a `<style>` element.
    case styleText
    /// The text of a `<script>` element that holds JSON-LD.
    case jsonLD
    /// What is said of the image that the element names, or a `<meta>` before it.
    case claim(Reference.Claim.Kind, HTMLPlace)
    /// What is asked of imgbake; it holds no URL.
    case control
    /// The width and height of an `<img>`; they hold no URL.
    case size
}

extension HTMLValue {
    var isClaim: Bool { if case .claim = self { true } else { false } }

    /// Whether it names the image of its element, and not one that a style asks for.
    var namesOwnImage: Bool {
        switch self {
        case .url, .srcset, .file, .lazy: true
        default: false
        }
    }
}

/// One URL in a value, or a claim about an image.
struct HTMLPiece {
    /// Where it stands in the value.
    var range: Range<Int>
    var url: [UInt8]
    var kind: Reference.Kind
    var role = Reference.Role.content
    var form = Reference.Form.relative
    /// Whether it may name something else than an image.
    var isGuess = false
    var urgency: Reference.Urgency?
    var notation: Notation
    /// What the piece says of an image, if it is no URL itself.
    var claim: Reference.Claim.Kind?
    var fixed: Reference.FixedProperties = []
    /// Whether it is a candidate of a `srcset` whose predecessor is the piece before it.
    var isRemovable = false

    var piece: Outline.Piece {
        Outline.Piece(range: range, url: String(decoding: url, as: UTF8.self))
    }
}

extension HTMLPiece {
    /// A reference of a page that is the value of an attribute.
    ///
    /// - Parameters:
    ///   - located: What was found in the page.
    ///   - quote: How the attribute is quoted.
    init(_ located: Located, quote: Notation.Quote) {
        let reference = located.reference
        self.init(
            range: reference.range, url: Array(reference.url.utf8), kind: reference.kind,
            role: reference.role, form: reference.form, isGuess: reference.isGuess,
            urgency: reference.urgency, notation: located.site.notation)
        notation.layers.append(.attribute(quote))
        // What is claimed in a page within the page is not rewritten.
        fixed = reference.claims.reduce(reference.fixed) { $0.union($1.kind.fixedProperties) }
    }
}

extension HTMLValue {
    /// The URLs in a value.
    ///
    /// - Parameters:
    ///   - reading: The value, entities decoded.
    ///   - quote: How an attribute's value is quoted.
    /// - Returns: Them in order; none where a template is to make the URL.
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
            // Mostly a style sheet in another folder uses the custom properties of an element.
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

    /// How many layers of a piece's notation the value shows once its entities are decoded: all but
    /// that of the attribute.
    func slotLayers(of piece: HTMLPiece) -> Int {
        switch self {
        case .styleText, .jsonLD: piece.notation.layers.count
        default: max(0, piece.notation.layers.count - 1)
        }
    }

    /// The URL at `range`, if it may be that of an image.
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

/// Whether a template or an expression of JSX stands in `value`, so that what is written is not the
/// URL.
func holdsTemplate(_ value: some Collection<UInt8>) -> Bool {
    var previous: UInt8 = 0
    for byte in value {
        if TemplateRanges.begin(with: previous, byte) { return true }
        previous = byte
    }
    return value.first == .openBrace
}

extension Bytes {
    /// Whether CSS in it can name an image, be it behind escapes: `\75rl(`.
    var mayNameCSSImage: Bool {
        namesCSSImage || contains(.backslash) && contains(.openParenthesis)
    }

    /// Whether CSS in it names an image without escapes.
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
    /// Whether a URL is one of the web, with or without its scheme.
    var namesHost: Bool {
        matches("http://", at: 0) || matches("https://", at: 0) || matches("//", at: 0)
    }
}

/// Whether a URL's path ends as the names of images do.
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

/// Where the URL in an attribute's value stands: without the blanks around it.
func urlRanges(in value: Bytes) -> [Range<Int>] {
    var start = 0
    var end = value.count
    while start < end, value[start].isHTMLSpace { start += 1 }
    while end > start, value[end - 1].isHTMLSpace { end -= 1 }
    return start < end ? [start..<end] : []
}
