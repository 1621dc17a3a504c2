package import DocumentSyntax

/// An element as selectors of CSS see it, with its ancestors.
package final class StyledElement: Sendable {
    /// In lower case, as all names here.
    package let name: String
    package let id: String?
    package let classes: Set<String>
    /// The effects of its `style` attribute.
    package let ownEffects: SizingEffects
    /// The text of its `style` attribute, if it may decide the size of an image.
    package let sizingStyle: String?
    /// Whether its `style` attribute may make the edges of images in it half transparent.
    package let changesEdges: Bool
    package let parent: StyledElement?
    /// Whether a rewrite adds the element, with no attribute but `style`.
    let isAdded: Bool

    init(
        name: String, id: String? = nil, classes: Set<String> = [],
        ownEffects: SizingEffects = [], sizingStyle: String? = nil, parent: StyledElement? = nil,
        isAdded: Bool = false, changesEdges: Bool = false
    ) {
        self.name = name
        self.id = id
        self.classes = classes
        self.ownEffects = ownEffects
        self.sizingStyle = sizingStyle
        self.parent = parent
        self.isAdded = isAdded
        self.changesEdges = changesEdges
    }

    /// The element as the child of an added `<picture>` with the same parent.
    var inPicture: StyledElement {
        StyledElement(
            name: name, id: id, classes: classes, ownEffects: ownEffects, sizingStyle: sizingStyle,
            parent: StyledElement(name: "picture", parent: parent, isAdded: true))
    }

    /// Reads the attributes that follow the name of a tag.
    package convenience init(
        name: String, attributesFrom start: Int, in bytes: UnsafeBytes, parent: StyledElement?
    ) {
        var (id, classes, effects): (String?, Set<String>?, SizingEffects?) = (nil, nil, nil)
        var (style, changesEdges): (String?, Bool) = (nil, false)
        var index = start
        while let attribute = HTMLTokenizer.attribute(in: bytes, from: &index) {
            func isNamed(_ name: StaticString) -> Bool { bytes.isWord(name, in: attribute.name) }
            var value: [UInt8] {
                DecodedText(UnsafeBytes(rebasing: bytes[attribute.value])).bytes
            }
            // The first of several attributes with one name counts.
            if isNamed("id") {
                id = id ?? String(decoding: value, as: UTF8.self).lowercased()
            } else if isNamed("class") {
                classes =
                    classes
                    ?? Set(
                        String(decoding: value, as: UTF8.self).lowercased()
                            .split(whereSeparator: \.isWhitespace).map(String.init))
            } else if isNamed("style") {
                if effects != nil { continue }
                let own = SizingRules.effects(ofAttribute: value)
                (effects, changesEdges) = (own.effects, own.changesEdges)
                if effects?.isEmpty == false { style = Self.condensed(value) }
            }
        }
        self.init(
            name: name, id: id, classes: classes ?? [], ownEffects: effects ?? [],
            sizingStyle: style, parent: parent, changesEdges: changesEdges)
    }

    /// A text with single spaces, at most 200 bytes, and none between declarations.
    private static func condensed(_ style: [UInt8]) -> String {
        let words = String(decoding: style.prefix(200), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        return words.joined(separator: " ").replacing("; ", with: ";")
    }
}

/// The open elements that images stand in, each made once.
package struct StyledElements {
    private var known: [Int: StyledElement] = [:]

    package init() {}

    /// The innermost open element; nil if none is open.
    package mutating func innermost(of open: OpenElements, in bytes: UnsafeBytes) -> StyledElement?
    {
        var parent: StyledElement?
        for index in open.indices {
            let element = open[index]
            // A copy of a formatting element has the id of the first and another parent.
            if let one = known[element.id], one.parent === parent {
                parent = one
                continue
            }
            let name = element.nameRange
            let label =
                name.isEmpty
                ? element.name.label : UnsafeBytes(rebasing: bytes[name]).lowercasedText
            let one =
                name.isEmpty
                ? StyledElement(name: label, parent: parent)
                : StyledElement(
                    name: label, attributesFrom: name.upperBound, in: bytes, parent: parent)
            known[element.id] = one
            parent = one
        }
        return parent
    }
}
