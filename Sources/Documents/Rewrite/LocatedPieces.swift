/// The references and claims that the pieces of one value form.
struct LocatedPieces {
    var references: [LocatedReference] = []
    /// Claims about an image whose URL is in another value.
    var claims: [(claim: Reference.Claim, index: Outline.PieceIndex)] = []
    /// The properties that this value states about an image of another value at an unknown range.
    var fixed: Reference.FixedProperties = []

    /// Creates a value that states these properties and cannot be rewritten.
    init(fixing properties: Reference.FixedProperties) { fixed = properties }

    /// - Parameters:
    ///   - pieces: The pieces in the order of the value.
    ///   - value: The value.
    ///   - slot: The index of the value's slot.
    ///   - control: The index of the control that applies to the pieces.
    init(_ pieces: [HTMLPiece], of value: [UInt8], slot: Int, control: Int?) {
        /// Whether the URL before the claim was located.
        var hasURL = false
        var isAfterURL = false
        for (number, piece) in pieces.enumerated() {
            let index = Outline.PieceIndex(slot: slot, piece: number)
            let range = piece.place
            if let kind = piece.claim {
                if isAfterURL, !hasURL { continue }
                add(kind, text: piece.piece.url(in: value), at: range, index, toLast: isAfterURL)
                continue
            }
            isAfterURL = true
            hasURL = range != nil
            guard let range else { continue }
            var reference = Reference(
                range: range, kind: piece.kind, url: piece.piece.url(in: value), role: piece.role,
                form: piece.form, control: control, isGuess: piece.isGuess)
            reference.fixed = piece.fixed
            reference.urgency = piece.urgency
            reference.shown = piece.shown
            var editPoint = EditPoint(
                notation: piece.notation, slotLayers: piece.slotLayers, pieces: [index])
            if piece.isRemovable, let before = pieces[number - 1].place,
                let own = pieces[number + 1].place
            {
                reference.isRemovable = true
                editPoint.removal = before.upperBound..<own.upperBound
            }
            references.append(LocatedReference(reference: reference, editPoint: editPoint))
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

extension LocatedPieces {
    /// Marks the widest candidate of a `srcset`, if each candidate states its width.
    mutating func markSet() {
        let stated = references.compactMap { one -> (width: Int, end: Int)? in
            let claim = one.reference.claims.first { $0.kind == .descriptors }
            guard let claim, claim.text.last == "w",
                let width = Int(claim.text.dropLast().drop { $0 == " " }),
                (1...65_535).contains(width)
            else { return nil }
            return (width, claim.range.upperBound)
        }
        let widths = stated.map(\.width)
        guard stated.count == references.count, let widest = widths.max(),
            let index = widths.firstIndex(of: widest), let end = stated.last?.end
        else { return }
        references[index].reference.widthsOfSet = widths
        references[index].editPoint.endOfSet = end
    }
}

extension LocatedReference {
    /// Adds a claim that these pieces write.
    ///
    /// A claim without a range fixes the properties that it states.
    fileprivate mutating func add(
        _ claim: Reference.Claim?, _ kind: Reference.Claim.Kind, pieces: [Outline.PieceIndex]
    ) {
        guard let claim else {
            reference.fixed.formUnion(kind.fixedProperties)
            return
        }
        reference.claims.append(claim)
        editPoint.claims.append(pieces)
    }

    /// Removes the claims whose ranges are split across several parts of the source.
    mutating func removeClaims(where isSplit: (Range<Int>) -> Bool) {
        for index in reference.claims.indices.reversed()
        where isSplit(reference.claims[index].range) {
            reference.fixed.formUnion(reference.claims[index].kind.fixedProperties)
            reference.claims.remove(at: index)
            editPoint.claims.remove(at: index)
        }
        if editPoint.removal.map(isSplit) == true {
            (reference.isRemovable, editPoint.removal) = (false, nil)
        }
    }

    /// Adds the claims that another value makes about the image.
    mutating func add(claimsOf other: LocatedPieces) {
        for (claim, index) in other.claims { add(claim, claim.kind, pieces: [index]) }
        reference.fixed.formUnion(other.fixed)
    }
}
