/// A rule of a style sheet that may decide the size of an image.
struct SizingRule: Sendable, Hashable {
    var selectors: [SizingSelector]
    var effects: SizingEffects
    /// Whether it has an effect on the children of an element without a box.
    var reachesChildren = false
    /// Whether a background of an image may be seen besides the image, or is the author's.
    var showsBackground = false
    /// Whether the edges of an image in the element may be half transparent.
    var changesEdges = false

    var isWatching: Bool { selectors.contains(where: \.isWatching) }

    /// Whether one of its selectors must be tested for an image that gets a `<picture>`.
    func mayNoticePicture(_ selector: SizingSelector) -> Bool {
        guard let subject = selector.compounds.first else { return false }
        return selector.mayNoticePicture
            || !subject.isUniversal
                && (reachesChildren && subject.mayBePicture
                    || effects.contains(.inherited) && subject.mayBe("img"))
    }
}

/// The rules of a style sheet for one purpose.
package struct SizingGroup: Sendable, Hashable {
    private var rules: [SizingRule] = []
    /// The number of tests for one element.
    package private(set) var weight = 0

    /// Adds a rule with those of its selectors that are needed.
    mutating func add(_ rule: SizingRule, where isNeeded: (SizingSelector) -> Bool) {
        var rule = rule
        rule.selectors.removeAll { !isNeeded($0) }
        if rule.selectors.isEmpty { return }
        weight += rule.selectors.reduce(0) { $0 + $1.weight }
        rules.append(rule)
    }

    /// What the rules may do to an element.
    package func effects(on element: StyledElement) -> SizingEffects {
        var effects: SizingEffects = []
        for rule in rules where !effects.isSuperset(of: rule.effects) || rule.isWatching {
            for selector in rule.selectors where selector.mayMatch(element) {
                effects.formUnion(rule.effects)
                if selector.isWatching { effects.formUnion(.watched) }
            }
        }
        return effects
    }

    /// Whether one of the rules may count for an element.
    package func mayMatch(_ element: StyledElement) -> Bool {
        rules.contains { $0.selectors.contains { $0.mayMatch(element) } }
    }

    /// Whether a rule may apply in another way once an image stands in a `<picture>` without a box.
    ///
    /// - Parameter image: The image.
    /// - Returns: Whether that is possible.
    package func mayNoticePicture(around image: StyledElement) -> Bool {
        let framed = image.inPicture
        guard let picture = framed.parent else { return true }
        return rules.contains { rule in
            rule.selectors.contains { selector in
                rule.reachesChildren && selector.singlesOut(picture)
                    || rule.effects.contains(.inherited) && selector.singlesOut(image)
                    || selector.notices(image, framed)
            }
        }
    }

    /// Whether a rule may apply in another way once a `<picture>` has new sources.
    ///
    /// - Parameters:
    ///   - image: The image of the picture.
    ///   - followsSource: Whether it has an element before it already.
    /// - Returns: Whether that is possible.
    package func mayNoticeSources(before image: StyledElement, followsSource: Bool) -> Bool {
        rules.contains { rule in
            rule.selectors.contains {
                $0.noticesSources(before: image, followsSource: followsSource)
            }
        }
    }
}
