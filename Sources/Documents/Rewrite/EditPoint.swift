import DocumentSyntax

/// A place where the document can be edited to replace a reference, and the slots that the edit
/// changes.
struct EditPoint: Sendable {
    /// The place where attributes can be added to an `<img>`.
    ///
    /// It is a class because few references have one, and all are copied often.
    final class Size: Sendable {
        /// The offset at which to insert ` width="…" height="…"`.
        let offset: Int
        /// Whether a size can be added.
        let takesSize: Bool
        /// The attributes that the element has; nil where at most a size may be added to any.
        let attributes: ImageTagAttributes?
        /// Whether a `srcset` and the like can be added.
        let isDescribed: Bool
        /// The tag of a described element.
        let element: Range<Int>?
        /// Whether the element is a link that preloads an image, whose attributes have other names.
        let isPreload: Bool

        init(
            offset: Int, takesSize: Bool, attributes: ImageTagAttributes?, isDescribed: Bool,
            element: Range<Int>?, isPreload: Bool = false
        ) {
            self.offset = offset
            self.takesSize = takesSize
            self.attributes = attributes
            self.isDescribed = isDescribed
            self.element = element
            self.isPreload = isPreload
        }
    }

    /// An image whose URL comes from a definition that a link also uses.
    struct DefinitionUse: Sendable {
        /// The range to replace by an inline destination: `[label]` or `[]` after the alternative
        /// text, or an empty range directly after it.
        var range: Range<Int>
        /// The definition's title, which the image keeps.
        var title: [UInt8]
    }

    var notation: Notation
    /// The number of notation layers that are visible in the slot's value.
    var slotLayers = 0
    /// The piece whose URL this edit changes.
    var piece: Outline.PieceIndex
    /// Further pieces with the same URL, if images share a definition.
    var otherPieces: [Outline.PieceIndex] = []
    /// The place to add attributes to the element.
    var size: Size?
    /// The offset of the tag, if it is that of a child of a `<picture>` that can get sources.
    var pictureChild: Int?
    /// The images to change instead of the definition, if a link uses it too.
    var uses: [DefinitionUse] = []
    /// For each claim of the reference, the piece whose text it changes.
    var claims: [Outline.PieceIndex] = []
    /// The range to delete for a removable candidate, from the end of the candidate before it.
    var removal: Range<Int>?
    /// The tag, if it is a `<link>` of an HTML document, which can be removed.
    var link: Range<Int>?
    /// The offset after the last candidate, if candidates can be added to the `srcset`.
    var endOfSet: Int?

    /// The text of flight data that the URL stands in.
    var flight: FlightText?

    /// All pieces whose URL this edit changes.
    var pieces: [Outline.PieceIndex] { [piece] + otherPieces }
}

/// A reference and the place to edit for it.
struct LocatedReference: Sendable {
    var reference: Reference
    var editPoint: EditPoint

    /// Sorts references by range and merges those with the same range.
    ///
    /// - Parameters:
    ///   - found: The references in any order.
    ///   - problems: Receives a problem for each reference that overlaps another one.
    /// - Returns: The other references.
    static func merged(_ found: [LocatedReference], problems: inout [DocumentProblem])
        -> [LocatedReference]
    {
        let isSorted = found.indices.dropFirst().allSatisfy {
            found[$0 - 1].reference.range.upperBound <= found[$0].reference.range.lowerBound
        }
        if isSorted { return found }
        var result: [LocatedReference] = []
        result.reserveCapacity(found.count)
        for one in found.sorted(by: {
            $0.reference.range.lowerBound < $1.reference.range.lowerBound
        }) {
            if let last = result.last, last.reference.range.overlaps(one.reference.range) {
                if last.reference.range == one.reference.range {
                    result[result.count - 1].editPoint.otherPieces += one.editPoint.pieces
                } else {
                    let reference = one.reference
                    problems.append(
                        DocumentProblem(
                            offset: reference.range.lowerBound, url: reference.url,
                            reason: .placeUncertain))
                }
                continue
            }
            result.append(one)
        }
        return result
    }
}
