import DocumentSyntax

/// One place in a document that names an image.
package struct Reference: Sendable, Hashable {
    /// The syntax in which a URL is written.
    ///
    /// It is indirect because references, and what they are made of, are copied often.
    package indirect enum Kind: Sendable, Hashable {
        /// The destination of an inline image, `![alt](URL)`.
        case markdownImage
        /// The destination of an inline link to an image, `[text](URL)`.
        case markdownLink
        /// The destination of a link reference definition, `[label]: URL`, that an image or a link
        /// to an image uses.
        case markdownDefinition
        /// An attribute that holds one URL, in an HTML document or in raw HTML within Markdown.
        case htmlAttribute(element: String, attribute: String)
        /// One candidate of a `srcset` attribute, or of an attribute with the same syntax.
        case srcset(element: String, attribute: String)
        /// A `url()` in a style sheet, a `<style>` element or a `style` attribute.
        case cssURL
        /// A string in an `image-set()`.
        case cssImageSet
        /// The string of an `@import`.
        case cssImport
        /// A front matter value, identified by its dotted key path.
        case frontMatter(key: String)
        /// A JSON-LD value, identified by the last of its keys.
        case jsonLD(key: String)
        /// A value of a JSON Feed or a web app manifest, identified by its dotted key path.
        case json(key: String)
        /// An argument of a shortcode, a tag, a directive or a component in Markdown.
        case shortcode(name: String, attribute: String?)
        /// The text of an element of a feed or a sitemap.
        case xmlText(element: String)
        /// An attribute of a feed element.
        case xmlAttribute(element: String, attribute: String)
        /// A string of a script or of data, or a URL in HTML or in a `srcset` in one. It is a guess
        /// unless its extension or the name of its member says that it is an image's.
        case data
    }

    /// What the URL is for: the purpose of an image, which decides which formats and sizes suit it, or
    /// the kind of another file.
    package enum Role: String, Sendable, Hashable, CaseIterable {
        /// Part of the page's content.
        case content
        /// An icon of the site, for a browser tab, a home screen or a task bar.
        case icon
        /// Shown beside a link to the page by social networks, search engines and messengers.
        case social
        /// Shown by a feed reader.
        case enclosure
        /// Painted by CSS.
        case background
        /// Shown before a video plays.
        case poster
        /// Loaded early on behalf of another reference to the same image.
        case preload
        /// Another file than an image, by its kind.
        case style, font, script, media, frame, other
        /// A host to which a connection is opened.
        case connection = "preconnect"
        /// A server that is told about a click.
        case beacon

        /// Whether the URL is that of an image.
        package var isOfImage: Bool {
            switch self {
            case .content, .icon, .social, .enclosure, .background, .poster, .preload: true
            case .style, .font, .script, .media, .frame, .other, .connection, .beacon: false
            }
        }
    }

    /// The loading priority that the document gives to an image.
    package enum Urgency: Sendable, Hashable {
        /// Before other images: `fetchpriority="high"`.
        case high
        /// After other images: `fetchpriority="low"` or `loading="lazy"`, or a script loads it.
        case low
    }

    /// The form that a local URL needs at a place.
    package enum Form: Sendable, Hashable {
        /// Relative to the document's base URL.
        case relative
        /// An absolute URL if the site's address is known, otherwise a relative one.
        case absoluteIfKnown
        /// An absolute URL, because its readers do not know the document's URL.
        case absolute
        /// Relative to the site's root, because a template can use the value on any page.
        case rooted
    }

    /// The text and the size that a document gives for an image.
    package struct Shown: Sendable, Hashable {
        /// The text that replaces the image, empty for an image without meaning; nil if there is
        /// none.
        package var alt: String?
        /// In CSS pixels; nil if the document gives no whole number.
        package var width: Int?
        package var height: Int?

        package init(alt: String? = nil, width: Int? = nil, height: Int? = nil) {
            self.alt = alt
            self.width = width
            self.height = height
        }
    }

    /// The range of the URL in the document, in bytes, without quotation marks.
    package var range: Range<Int>
    package var kind: Kind
    /// The URL after entities and escapes are decoded; it can be relative.
    package var url: String
    package var role: Role
    /// The form that a local URL needs here.
    package var form: Form
    /// The index in ``Extraction/controls`` of the settings for this image.
    package var control: Int?
    /// Whether the value may name something other than an image.
    ///
    /// Such a value is often the URL of an image, but not always.
    package var isGuess: Bool
    /// Whether another script of the page imports this one or looks for it, by its URL.
    package var isNamedByScripts = false
    /// The loading priority; nil if the document does not give one.
    package var urgency: Urgency?
    /// The statements about the image that can be rewritten along with the URL.
    package var claims: [Claim] = []
    /// The text and the size that the document gives for the image.
    package var shown = Shown()
    /// The properties that a replacement must share with the original image.
    package var fixed: FixedProperties = []
    /// Whether this is a `srcset` candidate that can be removed.
    package var isRemovable = false
    /// The element, if this is the `src` of an `<img>` to which a `srcset` can be added.
    ///
    /// Nil unless ``ExtractionOptions/describesImages`` is true.
    package var image: ImageElement?
    /// Whether this is the `href` of a `<link rel=preload>` to which `imagesrcset` and `imagesizes`
    /// can be added.
    ///
    /// False unless ``ExtractionOptions/describesImages`` is true.
    package var takesPreloadSet = false
    /// The child of a `<picture>` of the author that it stands in.
    ///
    /// Nil unless ``ExtractionOptions/describesImages`` is true.
    package var member: AuthorPicture.Place?
    /// The widths in pixels that the candidates of its `srcset` state, if this is the widest one of
    /// an `<img>` and others can be added.
    ///
    /// Nil unless ``ExtractionOptions/describesImages`` is true.
    package var widthsOfSet: [Int]?

    package init(
        range: Range<Int>, kind: Kind, url: String, role: Role = .content, form: Form = .relative,
        control: Int? = nil, isGuess: Bool = false
    ) {
        self.range = range
        self.kind = kind
        self.url = url
        self.role = role
        self.form = form
        self.control = control
        self.isGuess = isGuess
    }
}

extension Reference {
    /// A part of a document that describes an image, such as a `type` attribute.
    ///
    /// It must be updated when the image changes.
    package struct Claim: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// A media type: `image/png`.
            case mediaType
            /// The size of the file in bytes.
            case byteCount
            /// Hashes of the file (Subresource Integrity).
            case integrity
            /// The width in pixels.
            case width
            /// The height in pixels.
            case height
            /// The descriptors of a `srcset` candidate with the whitespace before them: ` 800w` or
            /// ` 1.5x`; empty if the candidate has none.
            case descriptors
        }

        package var kind: Kind
        /// The range of the claim in the document.
        ///
        /// Several references can share one claim.
        package var range: Range<Int>
        package var text: String
    }

    /// Properties of an image that the document states in a place that cannot be rewritten.
    package struct FixedProperties: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let format = FixedProperties(rawValue: 1)
        /// The width and height in pixels.
        package static let size = FixedProperties(rawValue: 2)
        package static let bytes = FixedProperties(rawValue: 4)
    }
}

extension Reference.Claim.Kind {
    /// The properties that must not change if a claim of this kind cannot be rewritten.
    package var fixedProperties: Reference.FixedProperties {
        switch self {
        case .mediaType: .format
        case .width, .height, .descriptors: .size
        case .byteCount: []
        case .integrity: .bytes
        }
    }
}

extension Reference.Kind: CustomStringConvertible {
    /// A short name of the kind, for messages.
    package var description: String {
        switch self {
        case .markdownImage: "Markdown image"
        case .markdownLink: "Markdown link"
        case .markdownDefinition: "Markdown link definition"
        case .htmlAttribute(let element, let attribute): "<\(element) \(attribute)>"
        case .srcset(let element, let attribute): "<\(element) \(attribute)>"
        case .cssURL: "CSS url()"
        case .cssImageSet: "CSS image-set()"
        case .cssImport: "CSS @import"
        case .frontMatter(let key): "front matter \(key)"
        case .jsonLD(let key): "JSON-LD \(key)"
        case .json(let key): "JSON \(key)"
        case .shortcode(let name, let attribute):
            "shortcode " + (attribute.map { "\(name) \($0)" } ?? name)
        case .xmlText(let element): "<\(element)>"
        case .xmlAttribute(let element, let attribute): "<\(element) \(attribute)>"
        case .data: "data"
        }
    }
}
