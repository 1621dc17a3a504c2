internal import CGumbo
internal import Glibc

/// The size attributes of an `<img>`.
struct ImageSize {
    private var width: String?
    private var height: String?
    /// Whether a style or `srcset` descriptors may decide the size.
    private var isDecidedElsewhere = false

    /// Reads an attribute, and returns whether it is part of the size.
    mutating func read(_ attribute: GumboAttribute) -> Bool {
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
    /// Whether the attribute is a `srcset`, or a script's equivalent, with `w` descriptors.
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
