internal import CGumbo

/// The effect of an element on the stack of open elements.
enum HTMLElementClass {
    /// An element that has no content, or whose tag opens no new element.
    case void
    case paragraph
    /// `<li>`, `<dt>` and `<dd>`.
    case listItem
    /// The parts of a table.
    case cell
    /// A formatting element, which is reconstructed if it is left open.
    case formatting
    /// An element that closes an open paragraph.
    case block
    /// A form, which is a block that can be closed while others are open in it.
    case form
    case table
    /// An element whose content cannot close elements outside of it.
    case boundary
    /// `<svg>` and `<math>`, which have other parsing rules.
    case foreign
    /// `<select>`, in which most tags are dropped.
    case select
    /// `<option>` and `<optgroup>`.
    case option
    /// `<frameset>`, in which most tags are dropped; often it is dropped itself.
    case frameset
    case other

    init(_ bytes: UnsafeBytes, _ name: Range<Int>) {
        let tag = bytes.gumboTag(name)
        self = Self.classOfTag[Int(tag.rawValue)]
        // This version of gumbo may not know some names.
        guard tag == GUMBO_TAG_UNKNOWN, name.count <= 14 else { return }
        self =
            Self.classes[String(decoding: bytes[name].map(\.lowercased), as: UTF8.self)] ?? .other
    }

    private static let classOfTag: [HTMLElementClass] = {
        var result = [HTMLElementClass](
            repeating: .other, count: Int(GUMBO_TAG_LAST.rawValue) + 1)
        for (name, kind) in classes {
            let tag = gumbo_tag_enum(name)
            if tag != GUMBO_TAG_UNKNOWN { result[Int(tag.rawValue)] = kind }
        }
        return result
    }()

    /// Whether an end tag of this class closes its element while `inner` is open in it.
    func closes(across inner: HTMLElementClass) -> Bool {
        switch (self, inner) {
        case (.select, _): inner == .option
        case (.foreign, _): inner == .other
        case (_, .formatting), (_, .other), (_, .option): true
        case (.paragraph, _), (.other, _), (.option, _): false
        case (.listItem, _): inner == .paragraph
        case (_, .paragraph), (_, .listItem), (_, .block), (_, .form): true
        case (.table, .cell), (.cell, .cell): true
        default: false
        }
    }

    /// Whether the end tag removes only its own element from the stack.
    var isClosedAlone: Bool { self == .formatting || self == .form }

    /// Whether the start tag closes an open paragraph.
    var closesParagraph: Bool {
        switch self {
        case .paragraph, .listItem, .block, .form, .table: true
        default: false
        }
    }

    private static let classes: [String: HTMLElementClass] = {
        var result: [String: HTMLElementClass] = [:]
        func add(_ kind: HTMLElementClass, _ names: String) {
            for name in names.split(separator: " ") { result[String(name)] = kind }
        }
        add(
            .void, "area base basefont bgsound br col embed frame hr image img input isindex keygen"
        )
        add(.void, "link meta param source track wbr html head body")
        add(.paragraph, "p")
        add(.listItem, "li dd dt")
        add(.cell, "td th tr tbody thead tfoot caption colgroup")
        add(.formatting, "a b big code em font i nobr s small strike strong tt u")
        add(.block, "address article aside blockquote center details dialog dir div dl fieldset")
        add(.block, "figcaption figure footer header hgroup main menu nav ol section summary ul")
        add(.block, "h1 h2 h3 h4 h5 h6 pre listing noscript search")
        add(.form, "form")
        add(.table, "table")
        add(.boundary, "template object applet marquee button foreignobject desc")
        add(.boundary, "mi mo mn ms mtext annotation-xml")
        add(.foreign, "svg math")
        add(.select, "select")
        add(.option, "option optgroup")
        add(.frameset, "frameset")
        return result
    }()

    /// Whether the tag ends SVG or MathML content.
    static func endsForeignContent(_ bytes: UnsafeBytes, _ name: Range<Int>) -> Bool {
        name.count <= 10
            && breakouts.contains(String(decoding: bytes[name].map(\.lowercased), as: UTF8.self))
    }

    private static let breakouts = Set(
        ("b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head"
            + " hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup"
            + " table tt u ul var").split(separator: " ").map(String.init))
}

extension UnsafeBytes {
    /// The gumbo tag for the name at `range`, ignoring case.
    fileprivate func gumboTag(_ range: Range<Int>) -> GumboTag {
        withMemoryRebound(to: CChar.self) { text in
            text.baseAddress.map {
                gumbo_tagn_enum($0 + range.lowerBound, UInt32(clamping: range.count))
            } ?? GUMBO_TAG_UNKNOWN
        }
    }
}
