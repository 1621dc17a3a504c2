import DocumentSyntax

/// A rule for one attribute that names images: the elements, the conditions, and the syntax of the
/// value.
///
/// The table is in `ReferenceRules.swift`. ``HTMLRules`` applies it to elements of any parser, and
/// ``mayNameImages(_:kind:options:)`` derives its search from it.
final class ReferenceRule: Sendable {
    /// The syntax of an attribute's value.
    enum Syntax: Sendable {
        /// One URL.
        case url
        /// `srcset` candidates with descriptors.
        case srcset
        /// One URL, which names an image by its type, or without a type by its extension.
        case file
        /// One URL, or a `url()` in CSS, that a script reads.
        case lazy
        /// CSS declarations.
        case style
        /// An HTML page.
        case page
        /// A value whose syntax depends on the other attributes of the `<meta>`.
        case meta
        /// One URL, whose role depends on the `rel` and the `as` of the `<link>`.
        case link
        /// The media type of another attribute's image.
        case mediaType
        /// The hashes of another attribute's file.
        case integrity
        /// A control for imgbake.
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

    /// Conditions of a rule; all of them must be met.
    struct Condition: OptionSet, Sendable {
        let rawValue: UInt16

        /// The parent is a `<picture>`.
        static let isInPicture = Condition(rawValue: 1)
        /// The `type` of an `<input>` is `image`.
        static let isImageButton = Condition(rawValue: 2)
        /// The media type is an image's or missing.
        static let typeMayBeImage = Condition(rawValue: 4)
        /// The media type is an image's.
        static let typeIsImage = Condition(rawValue: 8)
        /// The `rel` of a link says that it is an icon.
        static let isIcon = Condition(rawValue: 16)
        /// The `rel` and `as` of a link say that it preloads an image.
        static let isPreload = Condition(rawValue: 32)
        /// The `rel` or `itemprop` of a link says that it is an image of the page.
        static let isSocial = Condition(rawValue: 64)
        /// The option ``ExtractionOptions/readsLinks`` is on.
        static let readsLinks = Condition(rawValue: 128)
        /// The page is not nested too deeply in `srcdoc` attributes.
        static let isShallow = Condition(rawValue: 256)
        /// The option ``ExtractionOptions/readsRequests`` is on.
        static let readsRequests = Condition(rawValue: 512)
        /// The type of a `<script>` is that of a program.
        static let isProgram = Condition(rawValue: 1024)
    }

    /// The attribute's name in lower case; a name that ends with `*` is a pattern.
    let attribute: StaticString
    /// The attribute's name; nil if it is a pattern.
    let name: String?
    let elements: Elements
    let syntax: Syntax
    let role: Reference.Role
    let condition: Condition
    let certainty: ImageAttribute.Certainty
    /// Whether a script reads the attribute, so that the image is loaded late.
    let isLazy: Bool
    /// The tag contains one of these words, or an entity that may hide it; no words are required if
    /// the array is empty.
    let words: [StaticString]

    init(
        _ attribute: StaticString, on elements: Elements, _ syntax: Syntax,
        role: Reference.Role = .content, if condition: Condition = [],
        _ certainty: ImageAttribute.Certainty = .sure, isLazy: Bool = false,
        words: [StaticString] = []
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

    /// The kind of its URLs on an element.
    func kind(element: String, attribute: String) -> Reference.Kind {
        syntax == .srcset
            ? .srcset(element: element, attribute: attribute)
            : .htmlAttribute(element: element, attribute: attribute)
    }
}

/// The name of an element that can name an image, or `other`.
enum HTMLElementName: UInt8, CaseIterable {
    case img, image, source, video, input, link, meta, object, embed, picture, style, script, iframe
    case feImage
    /// An element that links to another document.
    case a, area
    case audio, track, frame
    /// An element that can have a `background` attribute: `<body>`, `<table>` and the parts of a
    /// table.
    case withBackground
    /// An element with a hyphen in its name, which a script defines.
    case custom
    case other

    /// - Parameters:
    ///   - name: The name, as far as HTML defines it.
    ///   - written: The name as written.
    init(_ name: HTMLName, written: Slice<UnsafeBytes>) {
        self = Self.elements[Int(name.rawValue)]
        if name == .other, written.contains(.hyphen) { self = .custom }
    }

    /// The elements by the raw values of the names.
    private static let elements: [HTMLElementName] = HTMLName.allCases.map {
        name -> HTMLElementName in
        switch name {
        case .body, .table, .thead, .tbody, .tfoot, .tr, .td, .th: .withBackground
        default: Self.allCases.first { $0.label == name.label } ?? .other
        }
    }

    /// Whether the element's `type` describes the image of another attribute.
    var namesImageWithType: Bool {
        switch self {
        case .source, .link, .object, .embed: true
        default: false
        }
    }

    /// The name in lower case; nil for cases that stand for several elements.
    var label: String? {
        switch self {
        case .withBackground, .custom, .other: nil
        default: Self.labels[Int(rawValue)]
        }
    }

    private static let labels = allCases.map { "\($0)".lowercased() }
}
