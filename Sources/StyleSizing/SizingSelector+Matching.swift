import DocumentSyntax

extension SizingSelector {
    /// Whether the selector may match an element.
    func mayMatch(_ element: StyledElement) -> Bool { mayMatch(element, from: 0) }

    /// Whether the part of the selector that ends with a compound may match an element.
    func mayMatch(_ element: StyledElement, from index: Int) -> Bool {
        guard compounds.indices.contains(index), compounds[index].mayMatch(element) else {
            return false
        }
        // The parents of the elements that the last compound may stand for.
        var parents = [element.parent]
        for compound in compounds[(index + 1)...] {
            switch compound.link {
            case .sibling: continue
            case .parent:
                parents = parents.compactMap(\.self).filter(compound.mayMatch).map(\.parent)
            case .ancestor:
                // The innermost one has all others above it.
                guard let inner = parents.first else { return false }
                parents = []
                var outer = inner
                while let one = outer {
                    outer = one.parent
                    if compound.mayMatch(one) { parents.append(outer) }
                }
            }
            if parents.isEmpty { return false }
        }
        return true
    }
}

extension SizingSelector.Compound {
    /// Classes that scripts give to the page.
    private static let rootClasses: Set<String> = ["js", "no-js", "dark", "light"]

    func mayMatch(_ element: StyledElement) -> Bool {
        if let type, type != element.name { return false }
        if element.isAdded, attributes.contains(where: { $0 != "style" }) { return false }
        let isRoot = element.name == "html" || element.name == "body"
        return ids.allSatisfy { $0 == element.id }
            && classes.allSatisfy {
                element.classes.contains($0)
                    || isRoot && (type != nil || Self.rootClasses.contains($0))
            } && lists.allSatisfy { $0.contains { $0.mayMatch(element) } }
    }
}

// What changes when a `<picture>` with sources stands around an image.
extension SizingSelector {
    /// Whether such a change is possible for any image; if not, no image has to be tested.
    var mayNoticePicture: Bool {
        guard let subject = compounds.first else { return false }
        if mayNoticePictureElsewhere { return true }
        let others = compounds.dropFirst()
        guard pseudoElement == nil, subject.mayBe("img") else { return false }
        return subject.isPlaced || others.first.map { $0.link != .ancestor } == true
            || others.contains { $0.link != .sibling && $0.mayBePicture }
            || subject.alternatives.contains(where: \.mayNoticePicture)
    }

    /// Whether such a change is possible for another element than the image.
    private var mayNoticePictureElsewhere: Bool {
        compounds.contains { compound in
            !compound.others.isEmpty
                || compound.link == .sibling && compound.mayBe("img", "picture")
                || compound.alternatives.contains(where: \.mayNoticePictureElsewhere)
        }
    }

    /// Whether the selector may match other elements once an image stands in a `<picture>`.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - framed: The image as the child of an added `<picture>` with the same parent.
    /// - Returns: Whether that is possible.
    func notices(_ image: StyledElement, _ framed: StyledElement) -> Bool {
        guard let subject = compounds.first, let picture = framed.parent else { return false }
        if noticesElsewhere(image, framed) { return true }
        // An image has no pseudo-elements.
        if pseudoElement != nil { return false }
        let (before, after) = (mayMatch(image), mayMatch(framed))
        if before != after { return true }
        if !before { return false }
        if subject.isPlaced || subject.alternatives.contains(where: { $0.notices(image, framed) }) {
            return true
        }
        if let next = compounds.dropFirst().first {
            if next.link == .sibling { return true }
            if next.link == .parent, !next.isUniversal { return true }
        }
        return compounds.dropFirst().contains {
            $0.link != .sibling && !$0.isUniversal && $0.mayMatch(picture)
        }
    }

    /// Whether the selector may match another element than the image in another way: one after it,
    /// or one for which `:has()` and the like ask.
    private func noticesElsewhere(_ image: StyledElement, _ framed: StyledElement) -> Bool {
        guard let picture = framed.parent else { return true }
        for index in compounds.indices.dropFirst() where compounds[index].link == .sibling {
            let isEqual = compounds[index].isUniversal
            if !isEqual, mayMatch(image, from: index) || mayMatch(picture, from: index) {
                return true
            }
        }
        return compounds.contains { compound in
            compound.alternatives.contains { $0.noticesElsewhere(image, framed) }
                || others(of: compound, about: image).contains { $0.concerns(image, framed) }
        }
    }

    /// The selectors in `:has()` and the like of a compound that may be about an image, because the
    /// element of the compound is around it or beside it.
    private func others(of compound: Compound, about image: StyledElement) -> [SizingSelector] {
        if compound.others.isEmpty { return [] }
        let isAround =
            compound.isPlaced
            || sequence(first: image, next: \.parent).contains(where: compound.mayMatch)
        return compound.others.filter { isAround || $0.outerLink == .sibling }
    }

    /// Whether a selector in `:has()` and the like may depend on a `<picture>` around an image.
    private func concerns(_ image: StyledElement, _ framed: StyledElement) -> Bool {
        guard let picture = framed.parent, !noticesElsewhere(image, framed) else { return true }
        if compounds.count == 1, compounds[0].isUniversal { return false }
        let isDescendant =
            outerLink == .ancestor
            && compounds.allSatisfy {
                $0.link == .ancestor && $0.type != nil && !$0.isPlaced && $0.alternatives.isEmpty
            }
        return compounds.contains { compound in
            if compound.type == "source" || compound.type == "picture" { return true }
            return !isDescendant && (compound.mayMatch(image) || compound.mayMatch(picture))
        }
    }

    /// Whether the selector may match other elements once new sources stand at the beginning of a
    /// `<picture>`, or between its other sources.
    ///
    /// - Parameters:
    ///   - image: The image of the picture.
    ///   - followsSource: Whether it has an element before it already.
    /// - Returns: Whether that is possible.
    func noticesSources(before image: StyledElement, followsSource: Bool) -> Bool {
        if dependsOnSources { return true }
        guard pseudoElement == nil, let subject = compounds.first, mayMatch(image) else {
            return false
        }
        let isInAlternative = subject.alternatives.contains {
            $0.noticesSources(before: image, followsSource: followsSource)
        }
        if subject.isPlaced || isInAlternative { return true }
        let before = compounds.dropFirst().prefix { $0.link == .sibling }
        if followsSource, before.count == 1, before.first?.isUniversal == true { return false }
        return before.contains { $0.mayBe("source") }
    }

    /// Whether a selector in `:has()` and the like may depend on the sources of a `<picture>`.
    private var dependsOnSources: Bool {
        compounds.contains { compound in
            compound.others.contains { inner in
                inner.compounds.contains {
                    $0.mayBe("source") || $0.isPlaced || $0.link == .sibling
                        || !$0.alternatives.isEmpty
                }
            } || (compound.alternatives + compound.others).contains(where: \.dependsOnSources)
        }
    }

    /// Whether the selector may match an element, but does not match every one.
    func singlesOut(_ element: StyledElement) -> Bool {
        compounds.first?.isUniversal == false && mayMatch(element)
    }
}

extension SizingSelector.Compound {
    /// Whether elements with one of these names may match.
    func mayBe(_ names: String...) -> Bool { type.map(names.contains) ?? true }

    /// Whether an added `<picture>`, which has nothing but a `style`, may match.
    var mayBePicture: Bool {
        mayBe("picture") && ids.isEmpty && classes.isEmpty
            && attributes.allSatisfy { $0 == "style" }
    }
}

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
    /// before it, or as one for which `:has()` and the like ask.
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
                && mayMatch(image, from: index)
            // What alternatives select is the element of the compound itself.
            return isAsked && compound[keyPath: attribute]
                || compound.alternatives.contains {
                    $0.asks(image, for: attribute, from: isAsked ? 0 : 1)
                } || others(of: compound, about: image).contains { $0.asks(image, for: attribute) }
        }
    }

    /// Whether it may select other elements because of the classes of ``AddedSheet``, or because of
    /// the link to it at the end of the head.
    ///
    /// Nothing in the head is shown, so only rules count that are about it.
    var mayNoticeClasses: Bool {
        compounds.indices.contains { index in
            let compound = compounds[index]
            // An element that gets a class has no other.
            let mayGetClass =
                compound.mayBe("img", "picture", "source", "link") && compound.classes.isEmpty
            return mayGetClass && compound.asksForClass
                || compound.type == "link" || compound.type == "head" && index > 0
                || compound.alternatives.contains {
                    (mayGetClass || $0.compounds.count > 1) && $0.mayNoticeClasses
                } || compound.others.contains(where: \.mayNoticeClasses)
                || compound.mayBe("html", "head")
                    && compound.others.contains { $0.compounds.contains(where: \.mayBeLink) }
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
