// Which images a selector asks for an attribute that a bake may add or change.
extension SizingSelector {
    /// The most compounds of a selector that is tested for each of them.
    private static let mostTested = 20

    /// Whether an element is asked for such an attribute.
    var asksForAny: Bool { asks(for: \.isWatching) || asks(for: \.asksForStyle) }

    private func asks(for attribute: KeyPath<Compound, Bool>) -> Bool {
        compounds.contains { compound in
            compound[keyPath: attribute]
                || (compound.alternatives + compound.others).contains { $0.asks(for: attribute) }
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
            // What alternatives select is the element of the compound itself.
            if isAsked || compound.related.contains(where: { $0.asks(image, for: attribute) })
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

// Whether a selector may notice the classes of ``AddedSheet``, and the link to it.
extension SizingSelector {
    /// Whether it may select other elements because of them.
    var mayNoticeClasses: Bool { asksForClass || mayNoticeLink }

    private var asksForClass: Bool {
        compounds.contains { compound in
            // An element that gets a class has no other.
            let mayGetClass =
                compound.mayBe("img", "picture", "source") && compound.classes.isEmpty
            return mayGetClass && compound.asksForClass
                || mayGetClass && compound.alternatives.contains(where: \.asksForClass)
                || compound.content.contains(where: \.asksForClass)
                || compound.related.contains(where: \.mayNoticeClasses)
        }
    }

    /// Whether it may depend on a link at the end of the head.
    ///
    /// Nothing in the head is shown, so only rules count that are about it.
    private var mayNoticeLink: Bool {
        compounds.indices.contains { index in
            let compound = compounds[index]
            if compound.type == "link" || compound.type == "head" && index > 0 { return true }
            let content = compound.mayBe("html", "head") ? compound.content : []
            return content.contains { $0.compounds.contains(where: \.mayBeLink) }
                || compound.alternatives.contains(where: \.mayNoticeLink)
        }
    }
}

extension SizingSelector.Compound {
    /// Whether a condition in `:has()` may be met or no longer be met because of an added link.
    fileprivate var mayBeLink: Bool {
        isPlaced || link == .sibling
            || mayBe("link") && ids.isEmpty && classes.isEmpty
                && attributes.allSatisfy { $0 == "rel" || $0 == "href" }
    }
}
