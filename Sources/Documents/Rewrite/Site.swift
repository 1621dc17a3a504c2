/// How to write a URL at a reference, and what that does to the tree.
struct Site: Sendable {
    /// Where an `<img>` without a size can be given one.
    struct Size: Sendable {
        /// Where ` width="…" height="…"` can be put.
        var offset: Int
        /// The slot that holds the size.
        var slot: Int
    }

    /// Where an image stands that takes its URL from a definition which a link uses too.
    struct Use: Sendable {
        /// What turns into an inline destination: `[label]` or `[]` after the alternative text, or
        /// nothing, directly after it.
        var range: Range<Int>
        /// The definition's title, which the image must keep.
        var title: [UInt8]
    }

    var notation: Notation
    /// How many of the notation's layers the slot's value shows.
    var slotLayers = 0
    /// The pieces that get their URL from here: several where images share a definition, or where
    /// HTML's rules put copies of one element into the tree.
    var pieces: [Outline.PieceIndex]
    /// Where the element's size can be added, if it says nothing about it.
    var size: Size?
    /// If a link uses the definition too, the images to be changed in its stead.
    var uses: [Use] = []
    /// For each claim of the reference, the pieces that get their text from it.
    var claims: [[Outline.PieceIndex]] = []
    /// Of a removable candidate, what to take out with it: from the end of the one before.
    var removal: Range<Int>?
}

/// A reference and how to write there.
struct Located: Sendable {
    var reference: Reference
    var site: Site

    /// Takes over what the same reference changes in a copy of its element.
    private mutating func addCopy(_ copy: Located) {
        site.pieces += copy.site.pieces
        for (claim, pieces) in zip(copy.reference.claims, copy.site.claims) {
            guard let own = reference.claims.firstIndex(of: claim) else { continue }
            site.claims[own] += pieces
        }
    }

    /// Puts what was found in the order of the document, the same place only once.
    ///
    /// - Parameters:
    ///   - found: What was found.
    ///   - refusals: Gets what is left since it overlaps something else.
    /// - Returns: The rest.
    static func merged(_ found: [Located], refusals: inout [Refusal]) -> [Located] {
        var result: [Located] = []
        result.reserveCapacity(found.count)
        let isSorted = zip(found, found.dropFirst()).allSatisfy {
            $0.reference.range.lowerBound < $1.reference.range.lowerBound
                && $0.reference.range.upperBound <= $1.reference.range.lowerBound
        }
        if isSorted { return found }
        for one in found.sorted(by: {
            $0.reference.range.lowerBound < $1.reference.range.lowerBound
        }) {
            if let last = result.last, last.reference.range.overlaps(one.reference.range) {
                if last.reference.range == one.reference.range {
                    result[result.count - 1].addCopy(one)
                } else {
                    let reference = one.reference
                    refusals.append(
                        Refusal(
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
