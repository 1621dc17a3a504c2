import DocumentSyntax

/// An attribute that names images.
struct ImageAttribute: Equatable, Sendable {
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

    /// The kind of its URLs.
    var kind: Reference.Kind
    /// The attribute's name in lower case; for a `<meta>`, the property that it sets.
    var name: String
    var role: Reference.Role
    var form = Reference.Form.relative
    var certainty = Certainty.sure
    var urgency: Reference.Urgency?
    var shown = Reference.Shown()
}

extension ImageAttribute {
    /// The attribute of a page or another document in the page, unless its URL names an image.
    func ofFrame(unlessImage url: String?) -> ImageAttribute {
        if let url, Array(url.utf8).withUnsafeBufferPointer(hasImageExtension) { return self }
        return ImageAttribute(kind: kind, name: name, role: .frame)
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
///
/// It is indirect because a value, its pieces and the outline share it.
indirect enum HTMLValue: Equatable, Sendable {
    case url(ImageAttribute)
    case srcset(ImageAttribute)
    /// One URL, which names an image if it has an image extension.
    case file(ImageAttribute)
    /// A URL, or a `url()` in CSS, that a script reads.
    case lazy(ImageAttribute)
    /// An HTML page inside an attribute, with the rules for it.
    case page(HTMLRules)
    /// The CSS declarations of a `style` attribute.
    case style
    /// The text of a `<style>` element, with or without the URLs of other files than images.
    case styleText(readsRequests: Bool)
    /// The text of a `<script>` element with JSON-LD.
    case jsonLD
    /// The text of a `<script>`, or data in an attribute.
    case data(DataReader)
    /// A claim about the image of the same element or of an earlier `<meta>`.
    case claim(Reference.Claim.Kind, ImageAttribute)
    /// A control for imgbake; it contains no URL.
    case control
}

extension HTMLValue {
    var isControl: Bool { if case .control = self { true } else { false } }

    /// Whether the value is the text of an element.
    var isText: Bool {
        switch self {
        case .styleText, .jsonLD: true
        case .data(let reader): !reader.isAttribute
        default: false
        }
    }

    var isData: Bool { if case .data = self { true } else { false } }

    /// Whether the value is a part of the flight data of a page.
    var isPush: Bool { if case .data(let reader) = self { reader.syntax == .push } else { false } }

    var isClaim: Bool { if case .claim = self { true } else { false } }

    /// The attribute, if it names the element's own image and not a CSS background.
    var ownAttribute: ImageAttribute? {
        switch self {
        case .url(let attribute), .srcset(let attribute), .file(let attribute),
            .lazy(let attribute):
            attribute
        default: nil
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
    /// The text of flight data that it stands in, or whose length it is.
    var flight: FlightText?
}

extension HTMLPiece {
    /// Creates a piece whose text is not as written in the value.
    init(
        range: Range<Int>, url: some Collection<UInt8>, kind: Reference.Kind,
        role: Reference.Role = .content, form: Reference.Form = .relative, notation: Notation,
        flight: FlightText? = nil
    ) {
        let text = String(utf8: url)
        self.init(
            piece: Outline.Piece(
                range: range, url: text ?? String(decoding: url, as: UTF8.self)),
            isUTF8: text != nil, kind: kind, role: role, form: form, notation: notation,
            flight: flight)
    }

    /// Creates a piece with the text at `range` of the value of an attribute.
    init(
        range: Range<Int>, in value: UnsafeBytes, of attribute: ImageAttribute, notation: Notation
    ) {
        self.init(
            range: range, in: value, kind: attribute.kind, role: attribute.role,
            form: attribute.form, notation: notation)
        isGuess = attribute.certainty.isGuess(UnsafeBytes(rebasing: value[range]))
        (urgency, shown) = (attribute.urgency, attribute.shown)
    }

    /// Creates a piece with the text at `range`.
    init(
        range: Range<Int>, in value: UnsafeBytes, kind: Reference.Kind,
        role: Reference.Role = .content, form: Reference.Form = .relative, notation: Notation
    ) {
        self.init(
            piece: Outline.Piece(range: range), isUTF8: value.isUTF8(range), kind: kind,
            role: role, form: form, notation: notation)
    }
}

extension HTMLPiece {
    /// Creates a piece from a reference in a page that is a value.
    init(_ located: LocatedReference) {
        let reference = located.reference
        self.init(
            range: reference.range, url: reference.url.utf8, kind: reference.kind,
            role: reference.role, form: reference.form, notation: located.editPoint.notation)
        (isGuess, urgency, shown) = (reference.isGuess, reference.urgency, reference.shown)
        // Claims in a page inside a value are not rewritten.
        fixed = reference.claims.reduce(reference.fixed) { $0.union($1.kind.fixedProperties) }
    }

    /// The piece, with the escapes of the attribute that its value is in.
    fileprivate func inAttribute(_ quote: QuotationMarks) -> HTMLPiece {
        var result = self
        result.notation.layers.append(.attribute(quote))
        return result
    }
}

extension HTMLValue {
    /// The URLs and claims in a value.
    ///
    /// - Parameters:
    ///   - decoded: The value after entities are decoded.
    ///   - quote: The quotation marks of the attribute.
    /// - Returns: The pieces in order; none if a template computes the URL.
    func pieces(in decoded: UnsafeBytes, quote: QuotationMarks) -> [HTMLPiece] {
        switch self {
        case .url(let attribute):
            guard !containsTemplate(decoded), let range = urlRange(in: decoded),
                isImage(range, of: decoded, attribute)
            else { return [] }
            return [
                HTMLPiece(
                    range: range, in: decoded, of: attribute, notation: Notation(.attribute(quote)))
            ]
        case .srcset(let attribute): return candidates(attribute, in: decoded, quote: quote)
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
            if decoded.hasPlaceholder { return [] }
            let value: HTMLValue =
                if decoded.namesCSSImage { .style } else if decoded.isListOfURLs {
                    .srcset(attribute)
                } else { .url(attribute) }
            return value.pieces(in: decoded, quote: quote)
        case .page(let rules):
            var problems: [DocumentProblem] = []
            let located = htmlFindings(of: decoded, rules: rules).located
            return LocatedReference.merged(located, problems: &problems).map {
                HTMLPiece($0).inAttribute(quote)
            }
        case .style:
            // The custom properties of an element are mostly used by a style sheet in another
            // folder.
            return css(decoded, inCustomProperty: .absolute) {
                Notation(.css($0), .attribute(quote))
            }
        case .styleText(let readsRequests):
            return css(
                decoded, inCustomProperty: .absoluteIfKnown, readsRequests: readsRequests
            ) { Notation(.css($0)) }
        case .jsonLD:
            return jsonLDPieces(in: decoded)
        case .data(let reader):
            let pieces = reader.pieces(in: decoded)
            return reader.isAttribute ? pieces.map { $0.inAttribute(quote) } : pieces
        case .control: return []
        }
    }

    /// The URL and the descriptors of each candidate, in order.
    private func candidates(
        _ attribute: ImageAttribute, in decoded: UnsafeBytes, quote: QuotationMarks
    ) -> [HTMLPiece] {
        var pieces: [HTMLPiece] = []
        let notation = Notation(.attribute(quote), percentEncoding: .srcset)
        let templates = TemplateRanges(in: decoded)
        var isAfterCandidate = false
        for candidate in Srcset(decoded) where !candidate.url.isEmpty {
            let wasAfterCandidate = isAfterCandidate
            isAfterCandidate = false
            guard !templates.touch(candidate.url), isImage(candidate.url, of: decoded, attribute)
            else { continue }
            let url = pieces.count
            pieces.append(
                HTMLPiece(range: candidate.url, in: decoded, of: attribute, notation: notation))
            if templates.touch(candidate.descriptors) {
                pieces[url].fixed = .size
                continue
            }
            pieces[url].isRemovable = wasAfterCandidate
            pieces.append(
                HTMLPiece(
                    range: candidate.descriptors, in: decoded, kind: attribute.kind,
                    notation: notation))
            pieces[url + 1].claim = .descriptors
            isAfterCandidate = true
        }
        return pieces
    }

    /// The number of a piece's notation layers that are visible in the decoded value: all except
    /// that of the attribute.
    func slotLayers(of notation: Notation) -> Int {
        isText ? notation.layers.count : max(0, notation.layers.count - 1)
    }

    /// Whether the URL at `range` may be an image URL.
    private func isImage(
        _ range: Range<Int>, of decoded: UnsafeBytes, _ attribute: ImageAttribute
    ) -> Bool {
        attribute.certainty.accepts(UnsafeBytes(rebasing: decoded[range]))
            && ParserLimits.takePlace()
    }

    private func css(
        _ decoded: UnsafeBytes, inCustomProperty form: Reference.Form,
        readsRequests: Bool = false, _ notation: (QuotationMarks) -> Notation
    ) -> [HTMLPiece] {
        CSSScanner.scan(decoded, readsRequests: readsRequests).found.map {
            var piece = HTMLPiece(
                range: $0.range, url: $0.url, kind: $0.kind, role: $0.role,
                form: $0.isInCustomProperty ? form : .relative, notation: notation($0.quote))
            piece.fixed = $0.fixed
            return piece
        }
    }
}

extension UnsafeBytes {
    /// Whether a value that a script reads is a list of URLs, and not one with commas in it.
    fileprivate var isListOfURLs: Bool {
        places(of: .comma).contains { $0 + 1 < count && self[$0 + 1].isHTMLSpace }
    }
}
