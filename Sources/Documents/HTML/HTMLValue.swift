/// An attribute that names images.
///
/// It is a class because the value, its pieces and the outline share it.
final class ImageAttribute: Sendable {
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
    let element: String
    /// The attribute's name in lower case; for a `<meta>`, the property that it sets.
    let name: String
    let role: Reference.Role
    let form: Reference.Form
    let certainty: Certainty
    let urgency: Reference.Urgency?
    let shown: Reference.Shown

    init(
        element: String, name: String, role: Reference.Role, form: Reference.Form = .relative,
        certainty: Certainty = .sure, urgency: Reference.Urgency? = nil,
        shown: Reference.Shown = Reference.Shown()
    ) {
        self.element = element
        self.name = name
        self.role = role
        self.form = form
        self.certainty = certainty
        self.urgency = urgency
        self.shown = shown
    }
}

extension ImageAttribute: Equatable {
    static func == (one: ImageAttribute, other: ImageAttribute) -> Bool {
        one === other
            || one.element == other.element && one.name == other.name && one.role == other.role
                && one.form == other.form && one.certainty == other.certainty
                && one.urgency == other.urgency && one.shown == other.shown
    }
}

extension ImageAttribute.Certainty {
    /// Whether a URL is most likely an image URL.
    func accepts(_ url: UnsafeBytes) -> Bool {
        switch self {
        case .sure, .likely: true
        case .byExtension: hasImageExtension(url)
        case .byExtensionOrHost: hasImageExtension(url) || url.namesHost
        }
    }

    /// Whether an accepted URL may still name something else.
    func isGuess(_ url: UnsafeBytes) -> Bool {
        switch self {
        case .sure: false
        case .likely, .byExtension: true
        case .byExtensionOrHost: !hasImageExtension(url)
        }
    }
}

/// The kind of a value in HTML, which decides how its URLs are found and written.
enum HTMLValue: Equatable, Sendable {
    case url(ImageAttribute)
    case srcset(ImageAttribute)
    /// One URL, which names an image if it has an image extension.
    case file(ImageAttribute)
    /// A URL, or a `url()` in CSS, that a script reads.
    case lazy(ImageAttribute)
    /// An HTML page inside an attribute, with the rules for it.
    indirect case page(HTMLRules)
    /// The CSS declarations of a `style` attribute.
    case style
    /// The text of a `<style>` element.
    case styleText
    /// The text of a `<script>` element with JSON-LD.
    case jsonLD
    /// A claim about the image of the same element or of an earlier `<meta>`.
    case claim(Reference.Claim.Kind, ImageAttribute)
    /// A control for imgbake; it contains no URL.
    case control
    /// The width and height of an `<img>`; they contain no URL.
    case size
}

extension HTMLValue {
    var isControl: Bool { if case .control = self { true } else { false } }

    var isClaim: Bool { if case .claim = self { true } else { false } }

    /// Whether the value names an image that a link preloads.
    var isPreload: Bool {
        switch self {
        case .url(let attribute), .srcset(let attribute): attribute.role == .preload
        default: false
        }
    }

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
    /// The text, with its range in the value.
    var piece: Outline.Piece
    /// Its range in the document; nil if it is not known.
    var place: Range<Int>?
    /// Whether the text is valid UTF-8.
    let isUTF8: Bool
    /// The number of notation layers that are visible in the slot's value.
    var slotLayers = 0
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
    var shown = Reference.Shown()

    /// Creates a piece whose text is not as written in the value.
    init(
        range: Range<Int>, url: some Collection<UInt8>, kind: Reference.Kind,
        role: Reference.Role = .content, form: Reference.Form = .relative, notation: Notation
    ) {
        let text = String(utf8: url)
        isUTF8 = text != nil
        piece = Outline.Piece(range: range, url: text ?? String(decoding: url, as: UTF8.self))
        self.kind = kind
        self.role = role
        self.form = form
        self.notation = notation
    }

    /// Creates a piece with the text at `range`.
    init(
        range: Range<Int>, in value: UnsafeBytes, kind: Reference.Kind,
        role: Reference.Role = .content, form: Reference.Form = .relative, notation: Notation
    ) {
        isUTF8 = value.isUTF8(range)
        piece = Outline.Piece(range: range)
        self.kind = kind
        self.role = role
        self.form = form
        self.notation = notation
    }
}

extension HTMLPiece {
    /// Creates a piece from a reference in a page that is an attribute's value.
    ///
    /// - Parameters:
    ///   - located: The reference in the page.
    ///   - quote: The quotation marks of the attribute.
    init(_ located: LocatedReference, quote: Notation.Quote) {
        let reference = located.reference
        self.init(
            range: reference.range, url: reference.url.utf8, kind: reference.kind,
            role: reference.role, form: reference.form, notation: located.editPoint.notation)
        (isGuess, urgency, shown) = (reference.isGuess, reference.urgency, reference.shown)
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
    func pieces(in decoded: UnsafeBytes, quote: Notation.Quote) -> [HTMLPiece] {
        switch self {
        case .url(let attribute):
            let kind = Reference.Kind.htmlAttribute(
                element: attribute.element, attribute: attribute.name)
            guard !containsTemplate(decoded), let range = urlRange(in: decoded),
                let piece = piece(range, of: decoded, kind, attribute, Notation(.attribute(quote)))
            else { return [] }
            return [piece]
        case .srcset(let attribute):
            return srcsetPieces(attribute, in: decoded, quote: quote)
        case .file(let attribute):
            guard hasImageExtension(decoded) else { return [] }
            return HTMLValue.url(attribute).pieces(in: decoded, quote: quote)
        case .claim(let claim, let attribute):
            return HTMLValue.url(attribute).pieces(in: decoded, quote: quote).map {
                var piece = $0
                piece.claim = claim
                return piece
            }
        case .lazy(let attribute):
            let value: HTMLValue = decoded.namesCSSImage ? .style : .url(attribute)
            return value.pieces(in: decoded, quote: quote)
        case .page(let rules):
            var problems: [DocumentProblem] = []
            let located = htmlFindings(of: decoded, rules: rules).located
            return LocatedReference.merged(located, problems: &problems).map {
                HTMLPiece($0, quote: quote)
            }
        case .style:
            // The custom properties of an element are mostly used by a style sheet in another
            // folder.
            return css(decoded, inCustomProperty: .absolute) {
                Notation(.css($0), .attribute(quote))
            }
        case .styleText:
            return css(decoded, inCustomProperty: .absoluteIfKnown) { Notation(.css($0)) }
        case .jsonLD:
            return jsonLDPieces(in: decoded)
        case .control, .size: return []
        }
    }

    /// The URL and the descriptors of each candidate, in order.
    private func srcsetPieces(
        _ attribute: ImageAttribute, in decoded: UnsafeBytes, quote: Notation.Quote
    ) -> [HTMLPiece] {
        let kind = Reference.Kind.srcset(element: attribute.element, attribute: attribute.name)
        let notation = Notation(.attribute(quote), percentEncoding: .srcset)
        let templates = TemplateRanges(in: decoded)
        let candidates = Srcset.candidates(in: decoded)
        var pieces: [HTMLPiece] = []
        pieces.reserveCapacity(2 * candidates.count)
        var isAfterCandidate = false
        for candidate in candidates where !candidate.url.isEmpty {
            let wasAfterCandidate = isAfterCandidate
            isAfterCandidate = false
            guard !templates.touch(candidate.url),
                var url = piece(candidate.url, of: decoded, kind, attribute, notation)
            else { continue }
            if templates.touch(candidate.descriptors) {
                url.fixed = .size
                pieces.append(url)
                continue
            }
            url.isRemovable = wasAfterCandidate
            var descriptors = HTMLPiece(
                range: candidate.descriptors, in: decoded, kind: kind, notation: notation)
            descriptors.claim = .descriptors
            pieces.append(url)
            pieces.append(descriptors)
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
        _ range: Range<Int>, of decoded: UnsafeBytes, _ kind: Reference.Kind,
        _ attribute: ImageAttribute,
        _ notation: Notation
    ) -> HTMLPiece? {
        let url = UnsafeBytes(rebasing: decoded[range])
        guard attribute.certainty.accepts(url), ParserLimits.takePlace() else { return nil }
        var piece = HTMLPiece(
            range: range, in: decoded, kind: kind, role: attribute.role, form: attribute.form,
            notation: notation)
        piece.isGuess = attribute.certainty.isGuess(url)
        (piece.urgency, piece.shown) = (attribute.urgency, attribute.shown)
        return piece
    }

    private func css(
        _ decoded: UnsafeBytes, inCustomProperty form: Reference.Form,
        _ notation: (Notation.Quote) -> Notation
    ) -> [HTMLPiece] {
        CSSScanner.references(in: decoded).map {
            var piece = HTMLPiece(
                range: $0.range, url: $0.url, kind: $0.kind, role: .background,
                form: $0.isInCustomProperty ? form : .relative, notation: notation($0.quote))
            piece.fixed = $0.fixed
            return piece
        }
    }
}
