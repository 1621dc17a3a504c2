import DocumentSyntax

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
            let text = piece.piece.url(in: value)
            if let kind = piece.claim {
                if isAfterURL, !hasURL { continue }
                let claim = piece.place.map {
                    Reference.Claim(kind: kind, range: $0, text: text)
                }
                if isAfterURL {
                    references[references.count - 1].add(claim, kind, index)
                } else {
                    add(claim, kind, index)
                }
                continue
            }
            if piece.isFlightLength { continue }
            isAfterURL = true
            hasURL = piece.place != nil
            guard let range = piece.place else { continue }
            var located = LocatedReference(
                reference: Reference(
                    range: range, kind: piece.kind, url: text, role: piece.role, form: piece.form,
                    control: control, isGuess: piece.isGuess),
                editPoint: EditPoint(
                    notation: piece.notation, slotLayers: piece.slotLayers, piece: index))
            located.reference.fixed = piece.fixed
            located.reference.urgency = piece.urgency
            located.reference.shown = piece.shown
            located.editPoint.flight = piece.flight
            if piece.isRemovable, let before = pieces[number - 1].place,
                let own = pieces[number + 1].place
            {
                located.reference.isRemovable = true
                located.editPoint.removal = before.upperBound..<own.upperBound
            }
            references.append(located)
        }
    }

    /// Adds a claim about an image of another value.
    private mutating func add(
        _ claim: Reference.Claim?, _ kind: Reference.Claim.Kind, _ index: Outline.PieceIndex
    ) {
        if let claim {
            claims.append((claim, index))
        } else {
            fixed.formUnion(kind.fixedProperties)
        }
    }
}

extension [LocatedReference] {
    /// Marks the widest candidate of a `srcset`, if each candidate states its width.
    mutating func markSet() {
        let stated = compactMap { one -> (width: Int, end: Int)? in
            let claim = one.reference.claims.first { $0.kind == .descriptors }
            guard let claim, claim.text.last == "w",
                let width = Int(claim.text.dropLast().drop { $0 == " " }),
                (1...65_535).contains(width)
            else { return nil }
            return (width, claim.range.upperBound)
        }
        let widths = stated.map(\.width)
        guard stated.count == count, let widest = widths.max(),
            let index = widths.firstIndex(of: widest), let end = stated.last?.end
        else { return }
        self[index].reference.widthsOfSet = widths
        self[index].editPoint.endOfSet = end
    }
}

extension LocatedReference {
    /// Adds a claim that this piece writes.
    ///
    /// A claim without a range fixes the properties that it states.
    fileprivate mutating func add(
        _ claim: Reference.Claim?, _ kind: Reference.Claim.Kind, _ index: Outline.PieceIndex
    ) {
        guard let claim else {
            reference.fixed.formUnion(kind.fixedProperties)
            return
        }
        reference.claims.append(claim)
        editPoint.claims.append(index)
    }

    /// Adds the claims that another value makes about the image.
    mutating func add(claimsOf other: LocatedPieces) {
        for (claim, index) in other.claims { add(claim, claim.kind, index) }
        reference.fixed.formUnion(other.fixed)
    }
}
