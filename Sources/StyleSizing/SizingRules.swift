/// The rules of a style sheet that may decide the size of an image.
///
/// Conditions such as `@media` count as met, and a rule as one that wins. So the rules tell what a
/// style sheet may do, and not that it does it, with one exception: ``freeHeights``.
///
/// A mistake then costs a `srcset`, and never changes the box of an image.
package struct SizingRules: Sendable, Hashable {
    /// The rules that may decide the size of an `<img>`.
    package private(set) var images = SizingGroup()
    /// The rules that make a container of an element.
    package private(set) var containers = SizingGroup()
    /// The rules that may notice a `<picture>` around an image.
    package private(set) var pictures = SizingGroup()
    /// The rules with which a background of an `<img>` may change how it looks.
    package private(set) var backgrounds = SizingGroup()
    /// The rules with which the edges of an image in an element may be half transparent.
    package private(set) var edges = SizingGroup()
    /// The rules that say `height: auto` for each element that they may match, on every screen.
    ///
    /// Only another rule can give such an element a height.
    ///
    /// An added `height` must have no effect after the image has loaded, so these rules must hold
    /// for certain: in a sheet that always applies, with selectors that are names of elements.
    /// Browsers drop a list with a selector that they do not know, and the case of classes is not
    /// kept.
    package private(set) var freeHeights = SizingGroup()
    /// The rules that ask for an attribute that a bake may add or change.
    package private(set) var watchers = SizingGroup()
    /// Whether a rule may apply in another way once images have classes of ``AddedSheet`` and the
    /// page has a link to it.
    package private(set) var mayNoticeClasses = false
    /// The URLs of the style sheets that this one imports.
    package private(set) var imports: [String] = []
    /// Whether there are too many rules to read.
    package private(set) var isTooComplex = false

    /// Reads a style sheet.
    package init(_ text: [UInt8]) {
        if Self.isUTF16(text) {
            isTooComplex = true
            return
        }
        var reader = SizingReader(text)
        reader.read()
        (imports, isTooComplex) = (reader.imports, reader.isTooComplex)
        if isTooComplex { return }
        mayNoticeClasses = reader.mayNoticeClasses
        for rule in reader.rules {
            if !rule.effects.isDisjoint(with: .ofSize) { images.add(rule) { $0.mayBeImage } }
            if rule.effects.contains(.container) {
                containers.add(rule) { $0.pseudoElement == nil }
            }
            if rule.effects.contains(.background) { backgrounds.add(rule) { $0.mayBeImage } }
            if rule.effects.contains(.edges) { edges.add(rule) { $0.pseudoElement == nil } }
            if rule.effects.contains(.freeHeight) { freeHeights.add(rule) { $0.mayBeImage } }
            pictures.add(rule) { rule.mayNoticePicture($0) }
            watchers.add(rule) { $0.asksForAny }
        }
    }

    /// The rules of a style sheet that may not apply, for example because of its `media`.
    package var ifApplied: SizingRules {
        var rules = self
        rules.freeHeights = SizingGroup()
        return rules
    }

    private static func isUTF16(_ text: [UInt8]) -> Bool {
        text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE])
    }

    /// The effects of the declarations in a `style` attribute, and whether they may make the edges of
    /// images in the element half transparent.
    static func effects(
        ofAttribute text: [UInt8]
    ) -> (effects: SizingEffects, changesEdges: Bool) {
        var reader = SizingReader(text, isAttribute: true)
        reader.read()
        let effects = reader.rules.reduce(into: SizingEffects()) { $0.formUnion($1.effects) }
        return (effects.intersection(.ofSize), effects.contains(.edges))
    }
}
