internal import CGumbo
internal import Glibc

/// What an `<img>` says of its size.
struct ImageSize {
    private var width: String?
    private var height: String?
    /// Whether a style or the descriptors of a `srcset` may decide the size.
    private var isDecidedElsewhere = false

    /// Whether the attribute is part of the size, and not of the rest of the tree.
    mutating func take(_ attribute: GumboAttribute) -> Bool {
        if strcmp(attribute.name, "width") == 0 {
            width = String(cString: attribute.value)
        } else if strcmp(attribute.name, "height") == 0 {
            height = String(cString: attribute.value)
        } else {
            if strcmp(attribute.name, "style") == 0 || attribute.hasWidthDescriptors {
                isDecidedElsewhere = true
            }
            return false
        }
        return true
    }

    var isUnknown: Bool { width == nil && height == nil && !isDecidedElsewhere }

    var slotValue: [UInt8] { sizeSlotValue(width: width, height: height) }
}

extension GumboAttribute {
    /// Whether it is a `srcset`, or one that a script reads, with `w` descriptors.
    fileprivate var hasWidthDescriptors: Bool {
        guard
            HTMLAttributeRules(nameBytes).first(where: {
                $0.syntax == .srcset && $0.elements.contains(.img)
            }) != nil
        else { return false }
        return Srcset.candidates(in: valueBytes).contains { candidate in
            valueBytes[candidate.descriptors].last?.lowercased == UInt8(ascii: "w")
        }
    }
}
