import DocumentSyntax

/// A rule of a style sheet that may decide the size of an image.
struct SizingRule: Sendable, Hashable {
    var selectors: [SizingSelector]
    var effects: SizingEffects

    /// Whether one of its selectors must be tested for an image that gets a `<picture>`.
    func mayNoticePicture(_ selector: SizingSelector) -> Bool {
        guard let subject = selector.compounds.first else { return false }
        if selector.mayNoticePicture { return true }
        if selector.pseudoElement != nil { return shows(selector) && subject.mayBePicture }
        if effects.contains(.inheritedDisplay), subject.mayBe("img") { return true }
        return !subject.isUniversal
            && (effects.contains(.reachingChildren) && subject.mayBePicture
                || effects.contains(.inherited) && subject.mayBe("img"))
    }

    /// Whether the pseudo-elements that one of its selectors selects are made by the rule.
    func shows(_ selector: SizingSelector) -> Bool {
        effects.contains(.content) && ["before", "after"].contains(selector.pseudoElement)
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
        for rule in rules where !effects.isSuperset(of: rule.effects) {
            if rule.selectors.contains(where: { $0.mayMatch(element) }) {
                effects.formUnion(rule.effects)
            }
        }
        return effects.intersection(.ofSize)
    }

    /// Whether one of the rules may count for an element.
    package func mayMatch(_ element: StyledElement) -> Bool {
        rules.contains { $0.selectors.contains { $0.mayMatch(element) } }
    }

    /// Whether a rule may ask an image for an attribute that a bake may add or change, other than
    /// `style`.
    package func mayAsk(_ image: StyledElement) -> Bool { asks(image, for: \.isWatching) }

    /// Whether a rule may ask an image for its attribute `style`.
    package func mayAskForStyle(of image: StyledElement) -> Bool {
        asks(image, for: \.asksForStyle)
    }

    private func asks(
        _ image: StyledElement, for attribute: KeyPath<SizingSelector.Compound, Bool>
    ) -> Bool {
        rules.contains { $0.selectors.contains { $0.asks(image, for: attribute) } }
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
                if selector.notices(image, framed) { return true }
                if selector.pseudoElement != nil {
                    return rule.shows(selector) && selector.mayMatch(picture)
                }
                return rule.effects.contains(.reachingChildren) && selector.singlesOut(picture)
                    || rule.effects.contains(.inheritedDisplay) && selector.mayMatch(image)
                    || rule.effects.contains(.inherited) && selector.singlesOut(image)
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
