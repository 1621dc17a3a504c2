internal import CGumbo

/// What an element means for the stack of open elements.
enum HTMLElementClass {
    /// It has no content, or its tag opens nothing anew.
    case void
    case paragraph
    /// `<li>`, `<dt>` and `<dd>`.
    case listItem
    /// The parts of a table.
    case cell
    /// It is made anew where it is left open.
    case formatting
    /// It closes an open paragraph.
    case block
    /// As a block, but closed out of turn.
    case form
    case table
    /// What is open outside of it cannot be closed from within.
    case boundary
    /// `<svg>` and `<math>`, within which other rules hold.
    case foreign
    /// `<select>`, within which most tags are dropped.
    case select
    /// `<option>` and `<optgroup>`.
    case option
    /// Within it most tags are dropped, but often it is dropped itself.
    case frameset
    case other

    init(_ bytes: Bytes, _ name: Range<Int>) {
        let tag = bytes.gumboTag(name)
        self = Self.classOfTag[Int(tag.rawValue)]
        // Some names this version of gumbo may not know.
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

    /// Whether an end tag of this class closes its element though `inner` is open within.
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

    /// Whether its end tag takes only the element itself from the stack.
    var isClosedAlone: Bool { self == .formatting || self == .form }

    /// Whether its start tag closes an open paragraph.
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

    /// The tags that end SVG and MathML.
    static func breaksOut(_ bytes: Bytes, _ name: Range<Int>) -> Bool {
        name.count <= 10
            && breakouts.contains(String(decoding: bytes[name].map(\.lowercased), as: UTF8.self))
    }

    private static let breakouts = Set(
        ("b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head"
            + " hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup"
            + " table tt u ul var").split(separator: " ").map(String.init))
}

extension Bytes {
    /// The tag with the name at `range`, in any case; unknown if gumbo does not know it.
    fileprivate func gumboTag(_ range: Range<Int>) -> GumboTag {
        withMemoryRebound(to: CChar.self) { text in
            text.baseAddress.map {
                gumbo_tagn_enum($0 + range.lowerBound, UInt32(clamping: range.count))
            } ?? GUMBO_TAG_UNKNOWN
        }
    }
}
