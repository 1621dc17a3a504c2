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
    /// An element with a hyphen in its name, which a script defines.
    case custom
    case other

    /// - Parameters:
    ///   - name: The name, as far as HTML defines it.
    ///   - written: The name as written.
    init(_ name: HTMLName, written: Slice<UnsafeBytes>) {
        self.init(name)
        if name == .other, written.contains(.hyphen) { self = .custom }
    }

    private init(_ name: HTMLName) {
        self =
            switch name {
            case .img: .img
            case .image: .image
            case .source: .source
            case .video: .video
            case .input: .input
            case .link: .link
            case .meta: .meta
            case .object: .object
            case .embed: .embed
            case .picture: .picture
            case .style: .style
            case .script: .script
            case .iframe: .iframe
            case .feimage: .feImage
            case .a: .a
            case .area: .area
            case .body, .table, .thead, .tbody, .tfoot, .tr, .td, .th: .withBackground
            case .audio, .track, .frame: .withOtherSource
            default: .other
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
        case .withBackground, .withOtherSource, .custom, .other: nil
        default: Self.labels[Int(rawValue)]
        }
    }

    private static let labels = allCases.map { "\($0)".lowercased() }
}
