/// The references and claims that the pieces of one value make up.
struct LocatedPieces {
    var references: [Located] = []
    /// Claims about an image that another value names.
    var claims: [(claim: Reference.Claim, index: Outline.PieceIndex)] = []
    /// What is claimed in this value about an image that another one names, at no known place.
    var fixed: Reference.FixedProperties = []

    /// What is known to be claimed, but not rewritten.
    init(fixing properties: Reference.FixedProperties) { fixed = properties }

    /// - Parameters:
    ///   - pieces: In the order of the value.
    ///   - slot: The index of the value's slot.
    ///   - control: Which control is meant for them.
    ///   - slotLayers: How many layers of the notation of the piece with this index the slot shows.
    ///   - place: Where the piece with this index is written, if that is known.
    init(
        _ pieces: [HTMLPiece], slot: Int, control: Int?, slotLayers: (Int) -> Int,
        place: (Int) -> Range<Int>?
    ) {
        /// Whether the URL that comes before a claim was located.
        var hasURL = false
        var isAfterURL = false
        for (number, piece) in pieces.enumerated() {
            let index = Outline.PieceIndex(slot: slot, piece: number)
            let range = place(number)
            if let kind = piece.claim {
                if isAfterURL, !hasURL { continue }
                add(kind, text: piece.piece.url, at: range, index, toLast: isAfterURL)
                continue
            }
            isAfterURL = true
            hasURL = range != nil
            guard let range else { continue }
            var reference = Reference(
                range: range, kind: piece.kind, url: piece.piece.url, role: piece.role,
                form: piece.form, control: control, isGuess: piece.isGuess)
            reference.fixed = piece.fixed
            reference.urgency = piece.urgency
            var site = Site(
                notation: piece.notation, slotLayers: slotLayers(number), pieces: [index])
            if piece.isRemovable, let before = place(number - 1), let own = place(number + 1) {
                reference.isRemovable = true
                site.removal = before.upperBound..<own.upperBound
            }
            references.append(Located(reference: reference, site: site))
        }
    }

    private mutating func add(
        _ kind: Reference.Claim.Kind, text: String, at range: Range<Int>?,
        _ index: Outline.PieceIndex, toLast: Bool
    ) {
        let claim = range.map { Reference.Claim(kind: kind, range: $0, text: text) }
        if toLast {
            references[references.count - 1].add(claim, kind, pieces: [index])
        } else if let claim {
            claims.append((claim, index))
        } else {
            fixed.formUnion(kind.fixedProperties)
        }
    }
}

extension Located {
    /// Adds a claim that is written by these pieces; without a place, it fixes what it is about.
    fileprivate mutating func add(
        _ claim: Reference.Claim?, _ kind: Reference.Claim.Kind, pieces: [Outline.PieceIndex]
    ) {
        guard let claim else {
            reference.fixed.formUnion(kind.fixedProperties)
            return
        }
        reference.claims.append(claim)
        site.claims.append(pieces)
    }

    /// The same without the claims that are written at places which cannot be changed.
    func withoutClaims(where isTorn: (Range<Int>) -> Bool) -> Located {
        var result = self
        for index in reference.claims.indices.reversed() where isTorn(reference.claims[index].range)
        {
            result.reference.fixed.formUnion(reference.claims[index].kind.fixedProperties)
            result.reference.claims.remove(at: index)
            result.site.claims.remove(at: index)
        }
        if site.removal.map(isTorn) == true {
            (result.reference.isRemovable, result.site.removal) = (false, nil)
        }
        return result
    }

    /// Adds what another value says of the image.
    mutating func add(claimsOf other: LocatedPieces) {
        for (claim, index) in other.claims { add(claim, claim.kind, pieces: [index]) }
        reference.fixed.formUnion(other.fixed)
    }
}
