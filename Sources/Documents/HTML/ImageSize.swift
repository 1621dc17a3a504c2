/// The attributes of an `<img>` that a rewrite may add, and those that decide whether it may.
struct ImageSize {
    private(set) var attributes = ImageTagAttributes()
    /// Whether a style or `srcset` descriptors may decide the size.
    private var isDecidedElsewhere = false
    /// Whether a `srcset` and the like may be added, and not only a size.
    private let isDescribed: Bool

    init(isDescribed: Bool) { self.isDescribed = isDescribed }

    /// Reads an attribute, and returns whether it is one that may be added.
    mutating func read(_ attribute: HTMLAttribute, of image: HTMLTagView) -> Bool {
        guard let path = image.addable(attribute, isDescribed: isDescribed) else {
            if image.isNamed("style", attribute) || image.hasWidthDescriptors(attribute) {
                isDecidedElsewhere = true
            }
            return false
        }
        attributes[keyPath: path] = String(decoding: image.value(of: attribute), as: UTF8.self)
        return true
    }

    var isUnknown: Bool {
        attributes.width == nil && attributes.height == nil && !isDecidedElsewhere
    }
}

extension HTMLTagView {
    /// The attribute of an `<img>` that a rewrite may add; nil if it is another one.
    func addable(
        _ attribute: HTMLAttribute, isDescribed: Bool
    ) -> WritableKeyPath<ImageTagAttributes, String?>? {
        if isNamed("width", attribute) { return \.width }
        if isNamed("height", attribute) { return \.height }
        guard isDescribed else { return nil }
        if isNamed("sizes", attribute) { return \.sizes }
        if isNamed("loading", attribute) { return \.loading }
        if isNamed("decoding", attribute) { return \.decoding }
        if isNamed("style", attribute) {
            return LoadingStyle.isAdded(Array(value(of: attribute))) ? \.style : nil
        }
        let isAdded =
            isNamed("class", attribute) && AddedSheet.isColourClass(value(of: attribute))
        return isAdded ? \.className : nil
    }

    /// Whether the attribute is a `srcset`, or a script's equivalent, with `w` descriptors.
    fileprivate func hasWidthDescriptors(_ attribute: HTMLAttribute) -> Bool {
        guard bytes.matches("set", at: attribute.name.upperBound - 3),
            HTMLAttributeRules(UnsafeBytes(rebasing: bytes[attribute.name])).first(where: {
                $0.syntax == .srcset && $0.elements.contains(.img)
            }) != nil
        else { return false }
        let value = value(of: attribute)
        return Srcset(value).contains { candidate in
            value[candidate.descriptors].last?.lowercased == UInt8(ascii: "w")
        }
    }
}
