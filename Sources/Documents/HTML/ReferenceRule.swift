/// One attribute that names images: on which elements, when, and how its value is read.
///
/// The table is in `ReferenceRules.swift`. ``HTMLRules`` applies it to elements, whichever parser they
/// come from, and ``mayNameImages(_:kind:options:)`` derives from it what it looks for.
struct ReferenceRule: Sendable {
    /// How the value of an attribute is read.
    enum Syntax: Sendable {
        /// One URL.
        case url
        /// Candidates with descriptors.
        case srcset
        /// One URL, of an image if the type says so, or if there is no type, its extension.
        case file
        /// One URL, or a `url()` of CSS, that a script reads.
        case lazy
        /// Declarations of CSS.
        case style
        /// A page within the page.
        case page
        /// What the other attributes of a `<meta>` say.
        case meta
        /// The media type of the image that another attribute names.
        case mediaType
        /// A request to imgbake, not a URL.
        case control
    }

    /// A set of elements.
    struct Elements: OptionSet, Sendable {
        let rawValue: UInt32

        init(rawValue: UInt32) { self.rawValue = rawValue }

        init(_ names: HTMLElementName...) {
            rawValue = names.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
        }

        static let any = Elements(rawValue: .max)

        func contains(_ name: HTMLElementName) -> Bool {
            rawValue & 1 << UInt32(name.rawValue) != 0
        }
    }

    /// What has to hold besides; all of several.
    struct Condition: OptionSet, Sendable {
        let rawValue: UInt16

        /// Its parent is a `<picture>`.
        static let isInPicture = Condition(rawValue: 1)
        /// `type="image"`, of an `<input>`.
        static let isImageButton = Condition(rawValue: 2)
        /// It gives no media type, or that of an image.
        static let typeMayBeImage = Condition(rawValue: 4)
        /// It gives the media type of an image.
        static let typeIsImage = Condition(rawValue: 8)
        /// `rel` says that the link leads to an icon.
        static let isIcon = Condition(rawValue: 16)
        /// `rel` and `as` say that the link preloads an image.
        static let isPreload = Condition(rawValue: 32)
        /// `rel` or `itemprop` say that the link leads to an image of the page.
        static let isSocial = Condition(rawValue: 64)
        /// Links are read too.
        static let readsLinks = Condition(rawValue: 128)
        /// There are not too many pages within each other.
        static let isShallow = Condition(rawValue: 256)
    }

    /// The attribute's name in lower case; one that ends with `*` stands for all that begin so.
    let attribute: StaticString
    /// The attribute's name, if the row is for one name.
    let name: String?
    let elements: Elements
    let syntax: Syntax
    let role: Reference.Role
    let condition: Condition
    let certainty: HTMLPlace.Certainty
    /// Whether a script reads the attribute, and so later than the browser reads the page.
    let isLazy: Bool
    /// One of these words is in the tag, or an entity that may hide it; none if there need be none.
    let words: [StaticString]

    init(
        _ attribute: StaticString, on elements: Elements, _ syntax: Syntax,
        role: Reference.Role = .content, if condition: Condition = [],
        _ certainty: HTMLPlace.Certainty = .sure, isLazy: Bool = false, words: [StaticString] = []
    ) {
        self.attribute = attribute
        let text = attribute.description
        name = text.hasSuffix("*") ? nil : text
        self.elements = elements
        self.syntax = syntax
        self.role = role
        self.condition = condition
        self.certainty = certainty
        self.isLazy = isLazy
        self.words = words
    }
}
