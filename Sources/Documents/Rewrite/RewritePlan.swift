import DocumentSyntax

/// The splices for a set of replacements, and the outline that the output must have.
struct RewritePlan {
    let kind: DocumentKind
    let options: ExtractionOptions
    /// The splices, grouped by what can be undone alone.
    var edits: [Edit] { builder.edits }
    var builder = EditBuilder()
    /// The outline of the document.
    let outline: Outline
    /// The slots that the output must have, except those that are added or removed.
    private(set) var expected: [Outline.Slot]
    /// The indices of those that are not as in the document.
    private(set) var changedSlots: Set<Int> = []
    private var changes: [Change] = []
    /// The nodes of the rewritten claims, by their ranges.
    private var rewrittenClaims: [Range<Int>: Int] = [:]
    /// The nodes of the controls of replaced references, by the controls' indices.
    private var controlNodes: [Int: Int] = [:]
    /// What is added to tags and around them, by the slot of the URL in the tag.
    var newMarkup: [Int: NewMarkup] = [:]
    /// The tag that is added at the end of the head.
    var newLink: [NewTag] = []
    /// The candidates that are added to a `srcset`, by its slot.
    var addedCandidates: [Int: NewCandidates] = [:]
    /// The slots of removed controls.
    private(set) var removed: Set<Int> = []
    /// The slots of removed links.
    private(set) var removedLinks: Set<Int> = []
    /// The nodes of the members of pictures that get sources.
    private var memberNodes: [AuthorPicture.Place: Int] = [:]
    /// What changes in texts of flight data, by their rows.
    private var flightChanges: [Int: (growth: Int, nodes: [Int])] = [:]
    /// The index and the node of the last replaced reference.
    private var last: (index: Int, node: Int)?

    /// A change of one piece of a slot.
    fileprivate struct Change {
        var index: Outline.PieceIndex
        /// The new text; nil if the piece is removed along with its descriptors and the separator
        /// before it.
        var new: (url: String, text: String)?
    }

    init(
        _ extraction: Extraction, _ replacements: [Replacement], dropping: Set<Int>,
        removing links: [Reference] = [], byteCount: Int
    ) throws(RewriteError) {
        kind = extraction.kind
        options = extraction.options
        outline = extraction.outline
        expected = extraction.outline.slots
        guard byteCount == extraction.byteCount else {
            throw Self.mismatch("the document is not the one that was scanned")
        }
        let sorted = replacements.inOrder {
            $0.reference.range.lowerBound < $1.reference.range.lowerBound
        }
        var index = 0
        for replacement in sorted {
            index = try Self.index(of: replacement, in: extraction.located, from: index)
            // Other characters than those of a URL may be written in several ways in data.
            let isSame =
                replacement.reference.kind == .data && replacement.url == replacement.reference.url
            if !isSame { try add(replacement, at: extraction.located[index], index) }
            index += 1
        }
        if let sheet = replacements.lazy.compactMap(\.sheet).first, let head = extraction.headEnd {
            addLink(to: sheet, at: head)
        }
        remove(Set(links.map(\.range)), of: extraction)
        addFlightLengths()
        expectChanges()
        try drop(dropping, of: extraction.locatedControls)
    }

    /// The index of the reference of a replacement, at or after `start`.
    private static func index(
        of replacement: Replacement, in located: [LocatedReference], from start: Int
    ) throws(RewriteError) -> Int {
        let range = replacement.reference.range
        var index = start
        while index < located.count,
            located[index].reference.range.lowerBound < range.lowerBound
        {
            index += 1
        }
        // In one document, the rest of a reference follows from these.
        guard index < located.count, located[index].reference.range == range,
            located[index].reference.url == replacement.reference.url,
            located[index].reference.kind == replacement.reference.kind
        else {
            throw mismatch(
                "\(replacement.reference.url) is not a reference of the document, or is replaced twice"
            )
        }
        guard !replacement.url.isEmpty else { throw mismatch("a replacement URL is empty") }
        return index
    }

    private mutating func add(
        _ replacement: Replacement, at located: LocatedReference, _ index: Int
    ) throws(RewriteError) {
        let editPoint = located.editPoint
        let isDrawing = located.reference.image?.takesPicture == false
        if isDrawing, replacement.responsive?.sources.isEmpty == false {
            throw Self.mismatch("an element takes no picture")
        }
        let node = node(of: replacement, index, isRemoved: editPoint.removal != nil)
        var image = Edit.Image(
            url: replacement.reference.url, replacement: replacement.url, splice: 0, offset: nil)
        addClaims(of: replacement, at: editPoint, node)
        if replacement.isRemoved, let range = editPoint.removal {
            builder.add(Splice(range: range, text: ""), to: node, image: image)
            changes += editPoint.pieces.map { Change(index: $0, new: nil) }
            return
        }
        let written = editPoint.notation.write(replacement.url)
        image.offset = 0
        addChange(of: written, at: editPoint, node)
        if editPoint.uses.isEmpty {
            let splice = Splice(range: replacement.reference.range, text: written.text)
            builder.add(splice, to: node, image: image)
        }
        // The URL follows a parenthesis.
        image.offset = 1
        for use in editPoint.uses {
            let splice = Splice(range: use.range, text: use.destination(replacement.url))
            builder.add(splice, to: builder.makeNode(), image: image)
        }
        if !replacement.sources.isEmpty, let tag = editPoint.pictureChild {
            addSources(replacement.sources, before: tag, slot: editPoint.piece.slot, node)
        }
        addAttributes(of: replacement, at: editPoint, node)
        if let sheet = replacement.sheet { builder.add(smaller: [sheet], to: node) }
        addCandidates(of: replacement, at: editPoint, node)
        let new = (url: written.url, text: written.text(afterLayers: editPoint.slotLayers))
        changes.append(Change(index: editPoint.piece, new: new))
        for index in editPoint.otherPieces { changes.append(Change(index: index, new: new)) }
    }

    /// The node of a reference, joined with those that it cannot be undone without.
    private mutating func node(
        of replacement: Replacement, _ index: Int, isRemoved: Bool
    ) -> Int {
        let node = builder.makeNode()
        if let control = replacement.reference.control {
            builder.join(node, controlNodes[control] ?? node)
            controlNodes[control] = node
        }
        if let member = replacement.reference.member,
            !replacement.sources.isEmpty || memberNodes[member] != nil
        {
            builder.join(node, memberNodes[member] ?? node)
            memberNodes[member] = node
        }
        // Without the candidate before it, nothing shows where a removed one was.
        if replacement.isRemoved, isRemoved, let last, last.index == index - 1 {
            builder.join(node, last.node)
        }
        last = (index, node)
        return node
    }

    /// Adds the size of an image and what its smaller files need to its element.
    private mutating func addAttributes(
        of replacement: Replacement, at editPoint: EditPoint, _ node: Int
    ) {
        guard replacement.size != nil || replacement.responsive != nil,
            let place = editPoint.size
        else { return }
        let slot = editPoint.piece.slot
        let new = newAttributes(of: replacement, at: place)
        if !new.isEmpty {
            let text = new.map(\.text).joined()
            builder.add(Splice(range: place.offset..<place.offset, text: text), to: node)
            newMarkup[slot, default: NewMarkup()].attributes = new
        }
        if let more = replacement.responsive, place.isDescribed {
            if !more.sources.isEmpty { addPicture(more.sources, at: place, slot: slot, node) }
            if !more.candidates.isEmpty {
                builder.add(smaller: more.candidates.map(\.url), to: node)
            }
        }
    }

    /// Rewrites the claims of a reference.
    ///
    /// A claim that several references share is rewritten once.
    private mutating func addClaims(
        of replacement: Replacement, at editPoint: EditPoint, _ node: Int
    ) {
        if replacement.claims.isEmpty { return }
        for (claim, index) in zip(replacement.reference.claims, editPoint.claims) {
            guard let text = replacement.claims[claim.kind], text != claim.text else { continue }
            if replacement.isRemoved, claim.kind == .descriptors { continue }
            if let other = rewrittenClaims[claim.range] {
                builder.join(node, other)
                continue
            }
            rewrittenClaims[claim.range] = node
            builder.add(Splice(range: claim.range, text: text), to: node)
            changes.append(Change(index: index, new: (text, text)))
        }
    }

    /// Removes the attributes of the controls with these indices.
    private mutating func drop(
        _ indices: Set<Int>, of controls: [LocatedControl]
    ) throws(RewriteError) {
        for index in indices.sorted() {
            guard controls.indices.contains(index) else {
                throw Self.mismatch("the index of a control is out of range")
            }
            let node = controlNodes[index] ?? builder.makeNode()
            let ranges = controls[index].ranges ?? []
            for range in ranges { builder.add(Splice(range: range, text: ""), to: node) }
            if !ranges.isEmpty { removed.formUnion(controls[index].slots) }
        }
    }

    /// Removes links, together with the last replaced reference: what is undone without an image cannot
    /// be found in an edited document.
    private mutating func remove(_ ranges: Set<Range<Int>>, of extraction: Extraction) {
        guard kind == .html, let last else { return }
        for one in extraction.locatedRequests
        where ranges.contains(one.reference.range) && one.reference.control == nil {
            guard let link = one.editPoint.link else { continue }
            builder.add(Splice(range: link, text: ""), to: last.node)
            removedLinks.insert(one.editPoint.piece.slot)
        }
    }

    /// Notes how the length of a text of flight data changes.
    private mutating func addChange(
        of written: Notation.Written, at editPoint: EditPoint, _ node: Int
    ) {
        guard let text = editPoint.flight, let count = text.count else { return }
        // In a page, the data is in the strings of scripts.
        let layers = editPoint.notation.layers.count - (kind == .html ? 1 : 0)
        let growth = written.text(afterLayers: layers).utf8.count - count
        flightChanges[text.row, default: (0, [])].growth += growth
        flightChanges[text.row]?.nodes.append(node)
    }

    /// Writes the lengths of texts of flight data anew; the URLs in one are undone together.
    private mutating func addFlightLengths() {
        for (row, change) in flightChanges.sorted(by: { $0.key < $1.key }) {
            guard let length = outline.lengths[row] else { continue }
            for node in change.nodes { builder.join(node, change.nodes[0]) }
            if change.growth == 0 { continue }
            let digits = String(length.value + change.growth, radix: 16)
            builder.add(Splice(range: length.range, text: digits), to: change.nodes[0])
            changes.append(Change(index: length.piece, new: (digits, digits)))
        }
    }

    private mutating func expectChanges() {
        changes = changes.inOrder {
            ($0.index.slot, $0.index.piece) < ($1.index.slot, $1.index.piece)
        }
        var start = 0
        while start < changes.count {
            let slot = changes[start].index.slot
            let end = changes[start...].firstIndex { $0.index.slot != slot } ?? changes.count
            let tail = expected[slot].tail
            expected[slot].change(changes[start..<end])
            if let added = addedCandidates[slot] { expected[slot].add(added, before: tail) }
            changedSlots.insert(slot)
            start = end
        }
    }

    private static func mismatch(_ detail: String) -> RewriteError {
        RewriteError(code: .mismatchedInput, line: nil, detail: detail)
    }
}

extension Outline.Slot {
    /// The number of bytes after the last piece of a slot that has pieces.
    fileprivate var tail: Int { value.count - pieces[pieces.count - 1].range.upperBound }

    /// Adds candidates before the last bytes of a `srcset`.
    fileprivate mutating func add(_ new: RewritePlan.NewCandidates, before tail: Int) {
        value.insert(contentsOf: new.value, at: value.count - tail)
        pieces += new.urls.map { Outline.Piece(range: 0..<0, url: $0) }
    }

    /// Makes changes, given in order.
    fileprivate mutating func change(_ changes: ArraySlice<RewritePlan.Change>) {
        var (newValue, newPieces): ([UInt8], [Outline.Piece]) = ([], [])
        newValue.reserveCapacity(
            changes.reduce(value.count) { $0 + ($1.new?.text.utf8.count ?? 0) })
        newPieces.reserveCapacity(pieces.count)
        var rest = changes
        var (piece, copied) = (0, 0)
        while piece < pieces.count {
            let range = pieces[piece].range
            if rest.first?.index.piece != piece {
                let shift = newValue.count - copied
                let moved = range.lowerBound + shift..<range.upperBound + shift
                newPieces.append(Outline.Piece(range: moved, url: pieces[piece].url))
            } else if let new = rest.removeFirst().new {
                newValue += value[copied..<range.lowerBound]
                let start = newValue.count
                newValue += new.text.utf8
                copied = range.upperBound
                newPieces.append(
                    Outline.Piece(
                        range: start..<newValue.count, url: new.text == new.url ? nil : new.url))
            } else {
                let start = max(copied, pieces[piece - 1].range.upperBound)
                newValue += value[copied..<start]
                piece += 1
                copied = pieces[piece].range.upperBound
            }
            piece += 1
        }
        newValue += value[copied...]
        (value, pieces) = (newValue, newPieces)
    }
}
