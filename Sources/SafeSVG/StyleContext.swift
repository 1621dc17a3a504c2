import CSSSyntax

/// The names in CSS that decide what a URL or a function does.
enum StyleTables {
    /// The at-rules that load nothing.
    static let rules: Set<String> = [
        "charset", "color-profile", "container", "counter-style", "font-face",
        "font-feature-values", "font-palette-values", "keyframes", "layer", "media", "namespace",
        "page", "property", "scope", "starting-style", "supports", "-moz-keyframes",
        "-o-keyframes", "-webkit-keyframes",
    ]

    /// The functions other than `url()` that name a file, run code, or draw an element as a picture.
    static let loading: Set<String> = [
        "attr", "cross-fade", "element", "expression", "image", "image-set", "paint", "src",
        "-moz-element", "-moz-image-rect", "-webkit-canvas", "-webkit-cross-fade",
        "-webkit-image-set",
    ]

    /// The properties with a URL of an element of the file.
    static let takingElements: Set<String> = [
        "clip-path", "color-profile", "fill", "filter", "marker", "marker-end", "marker-mid",
        "marker-start", "mask", "mask-image", "shape-inside", "shape-subtract", "stroke",
        "text-decoration-fill", "text-decoration-stroke", "-inkscape-font-specification",
        "-webkit-clip-path", "-webkit-filter", "-webkit-mask", "-webkit-mask-image",
    ]
}

/// A part of a selector that an element must match: the class, the ID or the name of the element
/// itself.
enum StyleSelector: Hashable {
    case any
    case name(String)
    case identifier([UInt8])
    case styleClass([UInt8])
}

/// The blocks, the rule and the property around a token of CSS.
struct StyleContext {
    private struct Block {
        var isFontFace = false
        var isKeyframes = false
        var selectors: [StyleSelector] = []
    }

    /// The name of the property whose value is read; empty if there is none.
    private(set) var property = ""
    private var blocks: [Block] = []
    private var fontFaces = 0
    private var keyframes = 0
    private var rule: String?
    private var isAtStart = true
    /// The selectors before the block that a comma ends.
    private var complete: Set<StyleSelector> = []
    private var compound: StyleSelector?
    private var isAfterSpace = false
    private var mark: UInt8 = 0

    /// More selectors count as all elements.
    private static let mostSelectors = 200

    var depth: Int { blocks.count }
    var isInFontFace: Bool { fontFaces > 0 }
    /// Whether a URL here names a namespace.
    var isNaming: Bool { rule == "namespace" }

    /// The elements that a declaration here can apply to.
    var selectors: [StyleSelector] {
        keyframes > 0 ? [.any] : blocks.last?.selectors ?? [.any]
    }

    mutating func enterRule(_ name: String) {
        rule = name
        isAtStart = false
    }

    mutating func openBlock(isRemoved: Bool) {
        var block = Block()
        if let rule, !isRemoved {
            block.isFontFace = rule == "font-face"
            block.isKeyframes = rule.utf8.suffix(9).elementsEqual("keyframes".utf8)
            block.selectors = selectors
        } else {
            complete.insert(compound ?? .any)
            block.selectors =
                complete.count > Self.mostSelectors || complete.contains(.any)
                ? [.any] : Array(complete)
        }
        fontFaces += block.isFontFace ? 1 : 0
        keyframes += block.isKeyframes ? 1 : 0
        blocks.append(block)
        endStatement()
    }

    mutating func closeBlock() {
        if let block = blocks.popLast() {
            fontFaces -= block.isFontFace ? 1 : 0
            keyframes -= block.isKeyframes ? 1 : 0
        }
        endStatement()
    }

    mutating func endStatement() {
        rule = nil
        property = ""
        isAtStart = true
        complete = []
        compound = nil
        isAfterSpace = false
        mark = 0
    }

    mutating func read(identifier name: String, _ content: [UInt8]) {
        guard rule == nil else { return }
        if isAtStart { property = name }
        isAtStart = false
        beginCompound()
        switch (mark, compound) {
        case (UInt8(ascii: "."), .none), (UInt8(ascii: "."), .name): compound = .styleClass(content)
        case (0, .none), (0, .name): compound = .name(name)
        default: break
        }
        mark = 0
    }

    mutating func read(hash content: [UInt8]) {
        beginCompound()
        switch compound {
        case .none, .name: compound = .identifier(content)
        default: break
        }
    }

    mutating func readSpace() { isAfterSpace = true }

    mutating func read(delimiter byte: UInt8) {
        mark = 0
        switch byte {
        case UInt8(ascii: ","):
            if complete.count <= Self.mostSelectors { complete.insert(compound ?? .any) }
            compound = nil
            isAfterSpace = false
        case UInt8(ascii: ">"), UInt8(ascii: "+"), UInt8(ascii: "~"):
            compound = nil
            isAfterSpace = false
        case UInt8(ascii: "."), UInt8(ascii: ":"):
            beginCompound()
            mark = byte
        default: beginCompound()
        }
    }

    private mutating func beginCompound() {
        if isAfterSpace { compound = nil }
        isAfterSpace = false
    }
}
