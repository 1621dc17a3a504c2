import DocumentSyntax

/// The text of flight data that a URL stands in, or whose length it is.
final class FlightText: Sendable {
    /// The number of its row, counted from 0.
    let row: Int
    /// The length of the URL in the text, in bytes; nil for the length of the text.
    let count: Int?

    init(row: Int, count: Int?) {
        self.row = row
        self.count = count
    }
}

/// The length of a text of flight data, which follows from the URLs in it.
struct FlightLength: Sendable {
    /// Its place in the document.
    var range: Range<Int>
    var piece: Outline.PieceIndex
    var value: Int
}

/// A script that adds a part to the flight data of a page: `self.__next_f.push([1,"…"])`.
struct FlightPush {
    /// The slot of the script, and the offset of its text.
    var slot: Int
    var start: Int
    /// The range of the string without quotation marks.
    var string: Range<Int>
}

extension HTMLWalk {
    /// Notes a script that adds a part to the flight data of the page.
    ///
    /// - Returns: Its slot, whose URLs are known at the end of the page; nil for another script.
    mutating func takePush(_ range: Range<Int>) -> HTMLSlot? {
        let script = UnsafeBytes(rebasing: bytes[range])
        guard script.containsExactly("__next_f") else { return nil }
        guard let string = FlightRow.pushed(by: script) else {
            let hasPart = script.containsExactly("push([1") || script.containsExactly("push([3")
            if hasPart { pushes = nil }
            return nil
        }
        pushes?.append(
            FlightPush(
                slot: slots.count, start: range.lowerBound,
                string: string.shifted(by: range.lowerBound)))
        return HTMLSlot(
            content: .data(DataReader(.push, rules)), value: Array(script),
            offset: range.lowerBound)
    }

    /// Finds the URLs in the flight data of the page, which all its parts together are.
    mutating func readPushes() {
        guard let pushes, !pushes.isEmpty else { return }
        var data = PlacedText()
        for push in pushes {
            let string = UnsafeBytes(rebasing: bytes[push.string])
            let isRead = StringEscapes.json.add(string, at: push.string.lowerBound, to: &data)
            if !isRead { return }
        }
        let reader = DataReader(.rows, rules)
        var next = 0
        for piece in data.bytes.withUnsafeBufferPointer({ reader.pieces(in: $0) }) {
            let place = data.place(of: piece.piece.range)
            while pushes[next].string.upperBound <= place.lowerBound { next += 1 }
            let push = pushes[next]
            if place.upperBound <= push.string.upperBound {
                let text = UnsafeBytes(rebasing: bytes[push.start..<push.string.upperBound])
                var piece = piece.embedded(in: text, at: place.shifted(by: -push.start))
                piece.place = place
                piece.slotLayers = piece.notation.layers.count
                slots[push.slot].pieces.append(piece)
            } else if piece.isFlightLength {
                for push in pushes { slots[push.slot].pieces = [] }
                return
            }
        }
    }
}

extension HTMLPiece {
    /// Whether this is the length of a text of flight data.
    var isFlightLength: Bool { flight.map { $0.count == nil } ?? false }
}

extension Outline {
    /// Adds the lengths of texts of flight data that are among the pieces of a slot.
    mutating func addLengths(of pieces: [HTMLPiece], slot: Int) {
        for index in pieces.indices {
            guard let text = pieces[index].flight, text.count == nil,
                let range = pieces[index].place, let digits = pieces[index].piece.url,
                let value = Int(digits, radix: 16)
            else { continue }
            lengths[text.row] = FlightLength(
                range: range, piece: PieceIndex(slot: slot, piece: index), value: value)
        }
    }
}

extension RewritePlan {
    /// Whether the flight data of a page's output has the planned URLs and lengths.
    func isFlightPlanned(in output: UnsafeBytes) -> Bool {
        let planned = expected.filter { $0.content?.isPush == true }
        let urls = planned.flatMap { slot in slot.pieces.map { $0.url(in: slot.value) } }
        if urls.isEmpty { return true }
        let found = flightSlots(of: output, options: options, accepting: Set(urls))
        return found.count == planned.count
            && zip(found, planned).allSatisfy { DataReader.isSame($0.pieces, as: $1) }
    }
}
