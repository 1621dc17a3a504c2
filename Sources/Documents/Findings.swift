/// What was found in a text, to be put together with what was found in others: a page with its
/// front matter, a feed with the pages in it.
struct Findings {
    var located: [Located] = []
    var refusals: [Refusal] = []
    var unread: [UnreadURLs] = []
    var outline = Outline()
    var controls: [LocatedControl] = []
    var baseHref: String?

    init() {}

    /// Of a document that is left as a whole.
    init(refusing reason: Refusal.Reason) {
        refusals = [Refusal(offset: 0, reason: reason)]
    }

    /// Adds what was found in a part of this text.
    ///
    /// - Parameters:
    ///   - part: What was found; its offsets are in the part's own text.
    ///   - layer: How the part's text is escaped in this one; nil if it is not.
    ///   - place: Where a range of the part's text is written in this one.
    mutating func embed(
        _ part: Findings, escapedBy layer: Notation.Layer? = nil,
        at place: (Range<Int>) -> Range<Int>
    ) {
        let firstSlot = outline.slots.count
        let firstControl = controls.count
        outline.blocks += part.outline.blocks
        outline.slots += part.outline.slots
        refusals += part.refusals.map {
            Refusal(offset: place($0.offset..<$0.offset).lowerBound, url: $0.url, reason: $0.reason)
        }
        unread += part.unread.map { one in
            var one = one
            one.offset = place(one.offset..<one.offset).lowerBound
            return one
        }
        controls += part.controls.map { control in
            var control = control
            control.control.offset =
                place(control.control.offset..<control.control.offset).lowerBound
            control.ranges = control.ranges?.map(place)
            control.slots = control.slots.map { $0 + firstSlot }
            return control
        }
        located += part.located.map { one in
            var one = one
            one.reference.range = place(one.reference.range)
            one.reference.control = one.reference.control.map { $0 + firstControl }
            for index in one.reference.claims.indices {
                one.reference.claims[index].range = place(one.reference.claims[index].range)
            }
            one.site.embed(firstSlot: firstSlot, escapedBy: layer, at: place)
            return one
        }
    }
}

extension Site {
    fileprivate mutating func embed(
        firstSlot: Int, escapedBy layer: Notation.Layer?, at place: (Range<Int>) -> Range<Int>
    ) {
        if let layer { notation.layers.append(layer) }
        for index in pieces.indices { pieces[index].slot += firstSlot }
        for index in uses.indices { uses[index].range = place(uses[index].range) }
        for claim in claims.indices {
            for index in claims[claim].indices { claims[claim][index].slot += firstSlot }
        }
        removal = removal.map(place)
        if let size {
            self.size = Size(
                offset: place(size.offset..<size.offset).lowerBound, slot: size.slot + firstSlot)
        }
    }
}
