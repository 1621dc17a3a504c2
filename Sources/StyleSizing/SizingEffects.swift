import CSSSyntax
import DocumentSyntax

/// What declarations of CSS may do to the size of an image.
package struct SizingEffects: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A width, also `auto`: the attribute `width` does not count then.
    package static let width = SizingEffects(rawValue: 1)
    /// A height or a limit for it: the width follows from it if no width is given.
    package static let height = SizingEffects(rawValue: 2)
    /// A limit for the width that depends on the window or on the elements around.
    package static let maximumWidth = SizingEffects(rawValue: 4)
    /// Padding or a border.
    package static let edge = SizingEffects(rawValue: 8)
    /// `box-sizing: border-box`: a width includes padding and border.
    package static let borderBox = SizingEffects(rawValue: 16)
    /// Something for which the natural size of the image counts, or an alignment that stretches it.
    package static let other = SizingEffects(rawValue: 32)
    /// A ratio of width and height, or a way to fill a box of another ratio.
    package static let ratio = SizingEffects(rawValue: 64)
    /// Of a container: its children are items of a flexible box or of a grid, or it has no box.
    package static let container = SizingEffects(rawValue: 128)
    /// A value that is taken from the parent.
    package static let inherited = SizingEffects(rawValue: 256)
    /// A `display` that is taken from the parent: in a new `<picture>`, it is `contents`.
    package static let inheritedDisplay = SizingEffects(rawValue: 512)

    /// An effect on the children of an element without a box.
    static let reachingChildren = SizingEffects(rawValue: 1_024)
    /// A background of an image may be seen besides the image, or is the author's.
    static let background = SizingEffects(rawValue: 2_048)
    /// The edges of an image in the element may be half transparent.
    static let edges = SizingEffects(rawValue: 4_096)
    /// The pseudo-elements `::before` and `::after` are made.
    static let content = SizingEffects(rawValue: 8_192)
    /// `height: auto`, on every screen.
    static let freeHeight = SizingEffects(rawValue: 16_384)

    /// All that a declaration may do to the size itself.
    static let all = SizingEffects(rawValue: 255)
    /// The effects on the size, and where it is taken from.
    static let ofSize = SizingEffects(rawValue: 1_023)
    /// Those for which a rule counts, whatever its selectors are.
    static let counting: SizingEffects = [
        .ofSize, .reachingChildren, .background, .edges, .freeHeight,
    ]
}

/// A token of CSS with its text in lower case, without escapes.
struct SizingToken {
    var kind: CSSToken.Kind
    var text = ""

    func isDelimiter(_ byte: UInt8) -> Bool { kind == .delimiter(byte) }

    /// Whether this is a part of a length that depends on the window or on the elements around.
    var isRelative: Bool {
        switch kind {
        case .delimiter(let byte): byte == UInt8(ascii: "%")
        case .number: Self.relativeUnits.contains { text.hasSuffix($0) }
        case .identifier: ["stretch", "inherit"].contains(text) || text.hasSuffix("-available")
        default: false
        }
    }

    private static let relativeUnits = [
        "vw", "vh", "vi", "vb", "vmin", "vmax", "cqw", "cqh", "cqi", "cqb", "cqmin", "cqmax",
    ]
}

extension SizingEffects {
    /// The effect of one declaration.
    ///
    /// - Parameters:
    ///   - property: The name in lower case.
    ///   - value: The tokens after the colon, without whitespace.
    init(of property: String, _ value: [SizingToken]) {
        self.init(ofSize: property, value)
        if property == "content", !isEmpty { insert(.content) }
        if Self.reachChildren(property, value) { insert(.reachingChildren) }
        if Self.showBackground(property, value) { insert(.background) }
        if Self.changeEdges(property, value) { insert(.edges) }
        if Self.freeHeight(property, value) { insert(.freeHeight) }
    }

    private init(ofSize property: String, _ value: [SizingToken]) {
        let name = Self.withoutVendor(property)
        let words = value.filter { $0.kind == .identifier && $0.text != "important" }.map(\.text)
        let isOnlyWord = value.allSatisfy { $0.kind == .identifier || $0.kind == .delimiter(0x21) }
        func isOnly(_ known: String...) -> Bool { isOnlyWord && words.allSatisfy(known.contains) }
        // A value that is computed elsewhere may be anything.
        let isUnknown = value.contains { $0.kind == .function && $0.text == "var" }
        let isZero = Self.isZero(value)
        switch name {
        case "width", "inline-size", "logical-width": self = .width
        case "height", "block-size", "logical-height": self = isOnly("auto") ? [] : .height
        case "min-height", "min-block-size": self = isZero || isOnly("auto") ? [] : .height
        case "max-height", "max-block-size": self = isOnly("none") ? [] : .height
        case "min-width", "min-inline-size":
            self = isUnknown || words.contains(where: Self.isIntrinsic) ? .width : []
        case "max-width", "max-inline-size":
            self = value.contains(where: \.isRelative) ? .maximumWidth : []
            if isUnknown || words.contains(where: Self.isIntrinsic) {
                formUnion([.maximumWidth, .width])
            }
        case "all": self = .all
        case "box-sizing": self = isUnknown || words.contains("border-box") ? .borderBox : []
        case "display":
            self = isUnknown || words.contains(where: Self.isContainer) ? .container : []
        case "object-fit": self = isOnly("cover", "contain", "fill") ? .ratio : .other
        case "content": self = isOnly("none", "normal") ? [] : .other
        case "align-self", "justify-self", "place-self":
            self = isUnknown || words.contains("stretch") ? .other : []
        case "object-view-box", "contain", "content-visibility", "writing-mode": self = .other
        case "aspect-ratio": self = .ratio
        case _ where name.hasPrefix("contain-intrinsic"): self = .other
        case _ where name.hasPrefix("padding"): self = isZero ? [] : .edge
        case _ where name.hasPrefix("border"): self = isZero || Self.isFlat(name) ? [] : .edge
        default: self = []
        }
        if words.contains("inherit") {
            insert(.inherited)
            if name == "display" || name == "all" { insert(.inheritedDisplay) }
        }
    }

    /// Whether a declaration lets the height of an element follow from its width.
    private static func freeHeight(_ property: String, _ value: [SizingToken]) -> Bool {
        let isImportant =
            value.count == 3 && value[1].isDelimiter(UInt8(ascii: "!"))
            && value[2].text == "important"
        return property == "height" && value.first?.kind == .identifier
            && value.first?.text == "auto" && (value.count == 1 || isImportant)
    }

    /// Whether a declaration for an element with `display: contents` has an effect in it.
    ///
    /// It has none if the property is about a box and is not inherited.
    private static func reachChildren(_ property: String, _ value: [SizingToken]) -> Bool {
        let name = withoutVendor(property)
        if name == "display" { return value.contains { $0.text == "important" } }
        return !boxProperties.contains { name == $0 || name.hasPrefix($0 + "-") }
    }

    /// Whether a background of an opaque image may be seen once the image has loaded: because the
    /// image does not cover its box, or its edges are not those of the background to the pixel, or
    /// because it replaces a background of the author.
    private static func showBackground(_ property: String, _ value: [SizingToken]) -> Bool {
        let name = withoutVendor(property)
        switch name {
        case "all", "content", "object-position", "object-view-box": return true
        case "object-fit": return !value.contains { $0.text == "fill" }
        case "opacity": return value.contains { $0.kind == .number && $0.text != "1" }
        case _ where name.hasPrefix("background"): return true
        case _ where name.hasPrefix("padding"): return !isZero(value)
        case _ where name.hasPrefix("border") && !name.contains("radius"):
            return !isFlat(name) && showsBorder(value)
        default: return changeEdges(property, value)
        }
    }

    /// Whether the edges of an image may be half transparent, so that its background shows there: of
    /// the element itself, and of an image in it.
    private static func changeEdges(_ property: String, _ value: [SizingToken]) -> Bool {
        let name = withoutVendor(property)
        switch name {
        case "transform", "rotate", "scale", "translate", "clip-path", "clip", "perspective":
            return value.contains { !["none", "auto", "important", "!"].contains($0.text) }
        case _ where name.hasPrefix("mask"): return true
        case _ where name.hasPrefix("border") && name.contains("radius"): return !isZero(value)
        default: return false
        }
    }

    /// Whether a value of a property of the border may give it a width.
    ///
    /// `border-style: solid` alone does too, but it is mostly written for all elements together with
    /// `border-width: 0`.
    private static func showsBorder(_ value: [SizingToken]) -> Bool {
        if value.contains(where: { $0.kind == .function }) { return true }
        let numbers = value.filter { $0.kind == .number }
        if !numbers.isEmpty { return !isZero(numbers) }
        return value.contains { token in
            token.kind == .identifier
                && !["solid", "none", "hidden", "important"].contains(token.text)
        }
    }

    private static let boxProperties = [
        "align", "justify", "place", "aspect-ratio", "background", "border", "bottom", "box",
        "clear", "clip", "contain", "content", "filter", "flex", "float", "gap", "grid", "height",
        "inset", "isolation", "left", "margin", "mask", "max", "min", "object", "opacity", "order",
        "outline", "overflow", "padding", "position", "right", "top", "transform", "vertical-align",
        "width", "z-index", "inline-size", "block-size",
    ]

    private static func withoutVendor(_ property: String) -> String {
        guard property.first == "-", let end = property.dropFirst().firstIndex(of: "-") else {
            return property
        }
        return String(property[property.index(after: end)...])
    }

    /// Whether a keyword stands for a size that depends on the natural one.
    private static func isIntrinsic(_ word: String) -> Bool {
        word.contains("content") || word.contains("intrinsic")
    }

    private static func isContainer(_ word: String) -> Bool {
        word == "contents" || word.hasSuffix("flex") || word.hasSuffix("flexbox")
            || word.hasSuffix("grid") || word.hasSuffix("-box")
    }

    /// Whether a property of the border says nothing about its width.
    private static func isFlat(_ name: String) -> Bool {
        name.contains("radius") || name.contains("color") || name.contains("image")
            || name == "border-collapse" || name == "border-spacing"
    }

    private static func isZero(_ value: [SizingToken]) -> Bool {
        value.allSatisfy { token in
            switch token.kind {
            case .number: token.text.allSatisfy { !("1"..."9").contains($0) }
            case .identifier: ["none", "hidden", "important"].contains(token.text)
            case .delimiter(let byte): byte == UInt8(ascii: "!") || byte == UInt8(ascii: ".")
            default: false
            }
        }
    }
}
