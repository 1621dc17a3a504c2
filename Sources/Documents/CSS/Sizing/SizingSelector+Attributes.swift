// Which images a selector asks for an attribute that a bake may add or change.
extension SizingSelector {
    /// The most compounds of a selector that is tested for each of them.
    private static let mostTested = 20

    /// Whether an element is asked for such an attribute.
    var asksForAny: Bool { asks(for: \.isWatching) || asks(for: \.asksForStyle) }

    private func asks(for attribute: KeyPath<Compound, Bool>) -> Bool {
        compounds.contains { compound in
            compound[keyPath: attribute]
                || (compound.alternatives + compound.content).contains { $0.asks(for: attribute) }
        }
    }

    /// Whether an image may be asked for an attribute: as the element that is selected, as one
    /// before it, or as one that `:has()` is about.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - attribute: The attribute.
    ///   - first: The index of the first compound that the image may match.
    /// - Returns: Whether that is possible.
    func asks(
        _ image: StyledElement, for attribute: KeyPath<Compound, Bool>, from first: Int = 0
    ) -> Bool {
        guard asks(for: attribute) else { return false }
        if compounds.count > Self.mostTested { return true }
        return compounds.indices.contains { index in
            let compound = compounds[index]
            // Nothing stands in an image.
            let isAsked =
                index >= first && (index == 0 || compound.link == .sibling)
                && compound.asks(image, for: attribute) && mayMatch(image, from: index)
            // What these select is the element of the compound itself.
            if isAsked
                || compound.alternatives.contains(where: {
                    $0.asks(image, for: attribute, from: 1)
                })
            {
                return true
            }
            let isAround =
                !compound.content.isEmpty
                && sequence(first: image, next: \.parent).contains { mayMatch($0, from: index) }
            return compound.content.contains { inner in
                (isAround || inner.outerLink == .sibling) && inner.asks(image, for: attribute)
            }
        }
    }
}

extension SizingSelector.Compound {
    /// Whether an image that matches the compound is asked for an attribute.
    fileprivate func asks(
        _ image: StyledElement, for attribute: KeyPath<SizingSelector.Compound, Bool>
    ) -> Bool {
        self[keyPath: attribute]
            || alternatives.contains { inner in
                guard let subject = inner.compounds.first else { return false }
                return subject.mayMatch(image) && subject.asks(image, for: attribute)
            }
    }
}
