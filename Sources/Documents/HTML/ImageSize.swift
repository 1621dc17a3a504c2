/// The size attributes of an `<img>`.
struct ImageSize {
    private var width: String?
    private var height: String?
    /// Whether a style or `srcset` descriptors may decide the size.
    private var isDecidedElsewhere = false

    /// Reads an attribute, and returns whether it is part of the size.
    mutating func read(_ attribute: HTMLAttribute, of image: HTMLTagView) -> Bool {
        if image.isNamed("width", attribute) {
            width = String(decoding: image.value(of: attribute), as: UTF8.self)
        } else if image.isNamed("height", attribute) {
            height = String(decoding: image.value(of: attribute), as: UTF8.self)
        } else {
            if image.isNamed("style", attribute) || image.hasWidthDescriptors(attribute) {
                isDecidedElsewhere = true
            }
            return false
        }
        return true
    }

    var isUnknown: Bool { width == nil && height == nil && !isDecidedElsewhere }

    var slotValue: [UInt8] { sizeSlotValue(width: width, height: height) }
}

extension HTMLTagView {
    /// Whether the attribute of an `<img>` is one of its size.
    func isSize(_ attribute: HTMLAttribute) -> Bool {
        isNamed("width", attribute) || isNamed("height", attribute)
    }

    /// Whether the attribute is a `srcset`, or a script's equivalent, with `w` descriptors.
    fileprivate func hasWidthDescriptors(_ attribute: HTMLAttribute) -> Bool {
        guard
            HTMLAttributeRules(UnsafeBytes(rebasing: bytes[attribute.name])).first(where: {
                $0.syntax == .srcset && $0.elements.contains(.img)
            }) != nil
        else { return false }
        let value = value(of: attribute)
        return Srcset.candidates(in: value).contains { candidate in
            value[candidate.descriptors].last?.lowercased == UInt8(ascii: "w")
        }
    }
}
