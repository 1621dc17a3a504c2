import DocumentSyntax

/// The references and claims that the pieces of one value form.
struct LocatedPieces {
    var references: [LocatedReference] = []
    /// Claims about an image whose URL is in another value.
    var claims: [(claim: Reference.Claim, index: Outline.PieceIndex)] = []
    /// The properties that this value states about an image of another value at an unknown range.
    var fixed: Reference.FixedProperties = []

    /// Creates a value that states these properties and cannot be rewritten.
    init(fixing properties: Reference.FixedProperties = []) { fixed = properties }

    /// - Parameters:
    ///   - pieces: The pieces in the order of the value.
    ///   - value: The value.
    ///   - slot: The index of the value's slot.
    ///   - control: The index of the control that applies to the pieces.
    init(_ pieces: [HTMLPiece], of value: [UInt8], slot: Int, control: Int?) {
        var references: [LocatedReference] = []
        add(pieces, of: value, slot: slot, control: control, to: &references)
        self.references = references
    }

    /// Adds pieces, and their references to those of other values.
    mutating func add(
        _ pieces: [HTMLPiece], of value: [UInt8], slot: Int, control: Int?,
        to references: inout [LocatedReference]
    ) {
        /// Whether the URL before the claim was located.
        var hasURL = false
        var isAfterURL = false
        for number in pieces.indices {
            let index = Outline.PieceIndex(slot: slot, piece: number)
            let text = pieces[number].piece.url(in: value)
            if let kind = pieces[number].claim {
                if isAfterURL, !hasURL { continue }
                let claim = pieces[number].place.map {
                    Reference.Claim(kind: kind, range: $0, text: text)
                }
                if isAfterURL {
                    references[references.count - 1].add(claim, kind, index)
                } else {
                    add(claim, kind, index)
                }
                continue
            }
            if pieces[number].isFlightLength { continue }
            isAfterURL = true
            hasURL = pieces[number].place != nil
            guard let range = pieces[number].place else { continue }
            references.append(
                LocatedReference(
                    reference: Reference(
                        range: range, kind: pieces[number].kind, url: text,
                        role: pieces[number].role, form: pieces[number].form, control: control,
                        isGuess: pieces[number].isGuess),
                    editPoint: EditPoint(
                        notation: pieces[number].notation, slotLayers: pieces[number].slotLayers,
                        piece: index)))
            // Changed in place, because a copy costs more.
            let last = references.count - 1
            references[last].reference.fixed = pieces[number].fixed
            references[last].reference.urgency = pieces[number].urgency
            references[last].reference.shown = pieces[number].shown
            references[last].editPoint.flight = pieces[number].flight
            if pieces[number].isRemovable, let before = pieces[number - 1].place,
                let own = pieces[number + 1].place
            {
                references[last].reference.isRemovable = true
                references[last].editPoint.removal = before.upperBound..<own.upperBound
            }
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
    ///
    /// - Parameter first: The index of its first reference; the others follow.
    mutating func markSet(from first: Int) {
        let stated = self[first...].compactMap { one -> (width: Int, end: Int)? in
            let claim = one.reference.claims.first { $0.kind == .descriptors }
            guard let claim, claim.text.last == "w",
                let width = Int(claim.text.dropLast().drop { $0 == " " }),
                (1...65_535).contains(width)
            else { return nil }
            return (width, claim.range.upperBound)
        }
        let widths = stated.map(\.width)
        guard stated.count == count - first, let widest = widths.max(),
            let index = widths.firstIndex(of: widest), let end = stated.last?.end
        else { return }
        self[first + index].reference.widthsOfSet = widths
        self[first + index].editPoint.endOfSet = end
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
