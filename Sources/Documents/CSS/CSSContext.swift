import CSSSyntax
import DocumentSyntax

/// The block, at-rule and property that the scanner is in, which decide whether a URL names an
/// image.
struct CSSContext {
    private enum Block { case fontFace, other }

    private var blocks: [Block] = []
    /// The at-rule whose prelude is being read.
    private var rule: String?
    /// The name of the property, before it is read.
    private var propertyToken: CSSToken?
    private var property: String?
    /// Whether a name at this place is the name of a property.
    private(set) var expectsPropertyName = true
    private var fontFaces = 0

    /// Whether a URL here names an image.
    var namesImages: Bool {
        if fontFaces > 0 { return false }
        switch rule {
        case "import", "namespace", "charset", "document", "-moz-document": return false
        default: break
        }
        switch property {
        case "behavior", "-moz-binding": return false
        default: return !namesDrawing
        }
    }

    /// The kind of the file that a URL here names, if that is no image; nil if nothing is loaded.
    var otherRole: Reference.Role? {
        if fontFaces > 0 { return .font }
        return rule == "import" ? .style : nil
    }

    /// Whether a browser may load an image from a string or a URL here that is not read: a drawing,
    /// a value that `image-set()` takes from elsewhere, or a style sheet in a `data:` URL.
    var mayLoadImage: Bool {
        namesDrawing || isInCustomProperty || rule == "import" || property == "initial-value"
            || property == "result"
    }

    /// Whether a URL here names a part of an SVG, which cannot be baked alone.
    private var namesDrawing: Bool {
        switch property {
        case "filter", "-webkit-filter", "backdrop-filter", "-webkit-backdrop-filter", "clip-path",
            "-webkit-clip-path":
            true
        default: false
        }
    }

    /// Whether a URL here is in the value of a custom property.
    ///
    /// Such a URL is resolved where the property is used, which may be in another style sheet (CSS
    /// Values 4, section 4.5.4).
    var isInCustomProperty: Bool { property?.hasPrefix("--") == true }

    /// Whether an image here is always shown in its own size, or cut by lengths in its pixels.
    var needsOwnSize: Bool {
        switch property {
        case "border-image", "border-image-source", "-webkit-border-image", "mask-border",
            "mask-border-source", "-webkit-mask-box-image", "-webkit-mask-box-image-source",
            "cursor", "list-style", "list-style-image", "content":
            true
        default: false
        }
    }

    mutating func enterRule(named name: String) {
        rule = name
        expectsPropertyName = false
    }

    mutating func beginProperty(_ token: CSSToken) {
        propertyToken = token
        expectsPropertyName = false
    }

    /// Reads the name of the property; few properties have a URL.
    mutating func readProperty(_ name: (CSSToken) -> String) {
        guard let token = propertyToken else { return }
        property = name(token)
        propertyToken = nil
    }

    mutating func endPropertyName() { expectsPropertyName = false }

    mutating func endStatement() {
        rule = nil
        property = nil
        propertyToken = nil
        expectsPropertyName = true
    }

    mutating func enterBlock() {
        let block: Block = rule == "font-face" ? .fontFace : .other
        if block == .fontFace { fontFaces += 1 }
        blocks.append(block)
        endStatement()
    }

    mutating func leaveBlock() {
        if blocks.popLast() == .fontFace { fontFaces -= 1 }
        endStatement()
    }
}
