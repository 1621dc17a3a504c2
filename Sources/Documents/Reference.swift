/// One place in a document that names an image.
package struct Reference: Sendable, Hashable {
    /// What sort of place it is.
    package enum Kind: Sendable, Hashable {
        /// The destination of an inline image, `![alt](URL)`.
        case markdownImage
        /// The destination of an inline link to an image, `[text](URL)`.
        case markdownLink
        /// The destination of a link reference definition, `[label]: URL`, that images use, or links to
        /// images.
        case markdownDefinition
        /// An attribute that holds one URL, in an HTML document or in raw HTML within Markdown.
        case htmlAttribute(element: String, attribute: String)
        /// One candidate of a `srcset` attribute, or of one that is read like it.
        case srcset(element: String, attribute: String)
        /// A `url()` in a style sheet, a `<style>` element or a `style` attribute.
        case cssURL
        /// A string in an `image-set()`.
        case cssImageSet
        /// A value of front matter, by the keys that lead to it.
        case frontMatter(key: String)
        /// A value of JSON-LD, by the last of its keys.
        case jsonLD(key: String)
        /// A value of a JSON Feed or a web app manifest, by the keys that lead to it.
        case json(key: String)
        /// A value that is given to a shortcode, a tag, a directive or a component in Markdown.
        case shortcode(name: String, attribute: String?)
        /// The text of an element of a feed or a sitemap.
        case xmlText(element: String)
        /// An attribute in a feed.
        case xmlAttribute(element: String, attribute: String)
    }

    /// What the image is for, as far as that decides what it may become.
    package enum Role: String, Sendable, Hashable, CaseIterable {
        /// Shown in the page.
        case content
        /// An icon of the site: of a browser's tab, a home screen or a task bar.
        case icon
        /// Shown beside a link to the page by social networks, search engines and messengers.
        case social
        /// Shown by the reader of a feed.
        case enclosure
        /// Painted behind or beside the content by CSS.
        case background
        /// Shown until a video plays.
        case poster
        /// Loaded early for another reference to the same image.
        case preload
    }

    /// When a browser is asked to load the image, where the document says so.
    package enum Urgency: Sendable, Hashable {
        /// Before others: `fetchpriority="high"`.
        case high
        /// After others: `fetchpriority="low"` or `loading="lazy"`, or when a script asks for it.
        case low
    }

    /// How a local URL has to be written to be of use at a place.
    package enum Form: Sendable, Hashable {
        /// Relative to the document, as to its base.
        case relative
        /// With the site's address, if that is known, else relative.
        case absoluteIfKnown
        /// With the site's address: what reads it does not know where the document was.
        case absolute
        /// From the site's root, since it is for a template to use on whichever page.
        case rooted
    }

    /// Where the URL stands in the document, in bytes: as it is written, without quotes.
    package var range: Range<Int>
    package var kind: Kind
    /// The URL as the language reads it, its entities and escapes decoded; it may be relative.
    package var url: String
    package var role: Role
    /// How a URL of the site has to be written here.
    package var form: Form
    /// Which of the document's ``Extraction/controls`` is meant for it.
    package var control: Int?
    /// Whether it may name something else than an image: what stands there is often, but not always,
    /// the URL of one.
    package var isGuess: Bool
    /// When it is loaded; nil if the document does not say.
    package var urgency: Urgency?
    /// What is said of the image beside the URL, and can be rewritten with it.
    package var claims: [Claim] = []
    /// What the image that takes the place of this one must have in common with it.
    package var fixed: FixedProperties = []
    /// Whether it is a candidate of a `srcset` that can be taken out of it.
    package var isRemovable = false

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

extension Reference.Kind: CustomStringConvertible {
    /// The kind in a few words, for messages.
    package var description: String {
        switch self {
        case .markdownImage: "Markdown image"
        case .markdownLink: "Markdown link"
        case .markdownDefinition: "Markdown link definition"
        case .htmlAttribute(let element, let attribute): "<\(element) \(attribute)>"
        case .srcset(let element, let attribute): "<\(element) \(attribute)>"
        case .cssURL: "CSS url()"
        case .cssImageSet: "CSS image-set()"
        case .frontMatter(let key): "front matter \(key)"
        case .jsonLD(let key): "JSON-LD \(key)"
        case .json(let key): "JSON \(key)"
        case .shortcode(let name, let attribute):
            "shortcode " + (attribute.map { "\(name) \($0)" } ?? name)
        case .xmlText(let element): "<\(element)>"
        case .xmlAttribute(let element, let attribute): "<\(element) \(attribute)>"
        }
    }
}
