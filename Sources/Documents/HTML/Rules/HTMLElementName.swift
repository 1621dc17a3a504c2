internal import CGumbo

/// The name of an element that can name an image, or `other`.
enum HTMLElementName: UInt8, CaseIterable {
    case img, image, source, video, input, link, meta, object, embed, picture, style, script, iframe
    case feImage
    /// An element that links to another document.
    case a, area
    /// An element that can have a `background` attribute: `<body>`, `<table>` and the parts of a
    /// table.
    case withBackground
    /// An element that uses `data-src` for something other than images, such as `<audio>`.
    case withOtherSource
    case other

    /// - Parameter name: The name as written, in upper or lower case.
    init(_ name: Slice<UnsafeBytes>) {
        self = Self.names[String(decoding: name.lazy.map(\.lowercased), as: UTF8.self)] ?? .other
    }

    /// - Parameter node: An element node.
    init(_ node: HTMLTree.Node) {
        switch node.pointee.v.element.tag {
        case GUMBO_TAG_IMG: self = .img
        case GUMBO_TAG_SOURCE: self = .source
        case GUMBO_TAG_VIDEO: self = .video
        case GUMBO_TAG_INPUT: self = .input
        case GUMBO_TAG_LINK: self = .link
        case GUMBO_TAG_META: self = .meta
        case GUMBO_TAG_OBJECT: self = .object
        case GUMBO_TAG_EMBED: self = .embed
        case GUMBO_TAG_STYLE: self = .style
        case GUMBO_TAG_SCRIPT: self = .script
        case GUMBO_TAG_IMAGE: self = .image
        case GUMBO_TAG_A: self = .a
        case GUMBO_TAG_AREA: self = .area
        case GUMBO_TAG_BODY, GUMBO_TAG_TABLE, GUMBO_TAG_THEAD, GUMBO_TAG_TBODY, GUMBO_TAG_TFOOT,
            GUMBO_TAG_TR, GUMBO_TAG_TD, GUMBO_TAG_TH:
            self = .withBackground
        case GUMBO_TAG_IFRAME: self = .iframe
        case GUMBO_TAG_AUDIO, GUMBO_TAG_TRACK, GUMBO_TAG_FRAME: self = .withOtherSource
        // gumbo does not know `<picture>` either.
        case GUMBO_TAG_UNKNOWN:
            let name = node.pointee.v.element.writtenName
            self = HTMLElementName(name[name.indices])
        default: self = .other
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
        case .withBackground, .withOtherSource, .other: nil
        default: Self.labels[Int(rawValue)]
        }
    }

    private static let labels = allCases.map { "\($0)".lowercased() }

    private static let names: [String: HTMLElementName] = {
        let plain = allCases.filter { $0.label != nil }
        var names = Dictionary(uniqueKeysWithValues: plain.map { (labels[Int($0.rawValue)], $0) })
        for name in ["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"] {
            names[name] = .withBackground
        }
        for name in ["audio", "track", "frame"] { names[name] = .withOtherSource }
        return names
    }()
}
