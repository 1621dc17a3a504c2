import DocumentSyntax

/// The references, problems, controls and outline of a text.
///
/// The findings of several texts can be combined, for example of a page and its front matter, or of
/// a feed and the pages in it.
struct Findings {
    var located: [LocatedReference] = []
    var problems: [DocumentProblem] = []
    var unread: [UnreadImage] = []
    var outline = Outline()
    var controls: [LocatedControl] = []
    var page = PageFacts()

    init() {}

    /// Findings for a document that is refused as a whole.
    init(refusing reason: DocumentProblem.Reason) {
        problems = [DocumentProblem(offset: 0, reason: reason)]
    }

    /// Findings for a document whose members have no known meaning.
    init(ofData bytes: UnsafeBytes) { unread = UnreadImage.all(in: bytes, .data) }

    /// Adds the findings of a part of this text.
    ///
    /// - Parameters:
    ///   - part: The findings; their offsets refer to the part's own text.
    ///   - layer: How the part is escaped in this text; nil if it is not escaped.
    ///   - place: Converts a range of the part to the range in this text.
    mutating func embed(
        _ part: Findings, escapedBy layer: Notation.Layer? = nil,
        at place: (Range<Int>) -> Range<Int>
    ) {
        let firstSlot = outline.slots.count
        let firstControl = controls.count
        outline.append(part.outline)
        outline.lengths.merge(part.outline.lengths) { first, _ in first }
        for row in part.outline.lengths.keys {
            outline.lengths[row]?.embed(firstSlot: firstSlot, at: place)
        }
        for var problem in part.problems {
            problem.offset = place(problem.offset..<problem.offset).lowerBound
            problems.append(problem)
        }
        for var one in part.unread {
            one.offset = place(one.offset..<one.offset).lowerBound
            unread.append(one)
        }
        for var control in part.controls {
            control.control.offset =
                place(control.control.offset..<control.control.offset).lowerBound
            control.ranges = control.ranges?.map(place)
            control.slots = control.slots.map { $0 + firstSlot }
            controls.append(control)
        }
        let first = located.count
        located += part.located
        for index in first..<located.count {
            located[index].reference.embed(firstControl: firstControl, at: place)
            located[index].editPoint.embed(firstSlot: firstSlot, escapedBy: layer, at: place)
        }
    }
}

extension Findings {
    /// Adds a slot that is one URL, and its reference.
    ///
    /// A URL that is not UTF-8 gives a problem instead.
    ///
    /// - Parameters:
    ///   - value: The URL.
    ///   - range: Its range.
    ///   - kind: The syntax in which it is written.
    ///   - notation: How to write another one in its place.
    ///   - line: The line on which its block begins, if blocks are compared.
    ///   - change: Completes the reference.
    /// - Returns: Whether there is a slot.
    @discardableResult
    mutating func addURL(
        _ value: [UInt8], at range: Range<Int>, _ kind: Reference.Kind, _ notation: Notation,
        line: Int = 0, _ change: (inout Reference) -> Void = { _ in }
    ) -> Bool {
        let slot = outline.slots.count
        guard let url = String(utf8: value) else {
            let text = String(decoding: value, as: UTF8.self)
            problems.append(
                DocumentProblem(offset: range.lowerBound, url: text, reason: .urlNotUTF8))
            return false
        }
        let piece = Outline.Piece(range: 0..<value.count)
        outline.slots.append(Outline.Slot(value: value, pieces: [piece], line: line))
        var reference = Reference(range: range, kind: kind, url: url)
        change(&reference)
        located.append(
            LocatedReference(
                reference: reference,
                editPoint: EditPoint(
                    notation: notation, piece: Outline.PieceIndex(slot: slot, piece: 0))))
        return true
    }

    /// Adds a problem for each image that only another reading of the text has found.
    mutating func addProblems(besidesThoseIn other: Findings, _ reason: DocumentProblem.Reason) {
        // One definition can be that of several images.
        let known = Dictionary(
            located.map { ($0.reference.range, $0.editPoint.pieces.count) }, uniquingKeysWith: +)
        let refused = Set(problems.compactMap(\.url))
        problems += other.problems.filter { $0.url.map(refused.contains) == false }
        problems += other.located.filter {
            $0.editPoint.pieces.count > known[$0.reference.range, default: 0]
                && !refused.contains($0.reference.url)
        }.map {
            DocumentProblem(
                offset: $0.reference.range.lowerBound, url: $0.reference.url, reason: reason)
        }
    }

    /// Adds the images in places that are not read, without those that were read after all.
    mutating func addUnread(_ found: [UnreadImage]) {
        if found.isEmpty { return }
        let known = located.map(\.reference.range).inOrder { $0.lowerBound < $1.lowerBound }
        let refused = Set(problems.compactMap(\.url))
        unread += found.filter { !known.containSorted($0.offset) && !refused.contains($0.url) }
    }
}

extension Reference {
    fileprivate mutating func embed(firstControl: Int, at place: (Range<Int>) -> Range<Int>) {
        range = place(range)
        if let own = control { control = own + firstControl }
        for index in claims.indices { claims[index].range = place(claims[index].range) }
    }
}

extension FlightLength {
    fileprivate mutating func embed(firstSlot: Int, at place: (Range<Int>) -> Range<Int>) {
        range = place(range)
        piece.slot += firstSlot
    }
}

extension EditPoint {
    fileprivate mutating func embed(
        firstSlot: Int, escapedBy layer: Notation.Layer?, at place: (Range<Int>) -> Range<Int>
    ) {
        if let layer { notation.layers.append(layer) }
        piece.slot += firstSlot
        for index in otherPieces.indices { otherPieces[index].slot += firstSlot }
        for index in uses.indices { uses[index].range = place(uses[index].range) }
        for index in claims.indices { claims[index].slot += firstSlot }
        removal = removal.map(place)
        link = link.map(place)
        endOfSet = endOfSet.map { place($0..<$0).lowerBound }
        pictureChild = pictureChild.map { place($0..<$0).lowerBound }
        size = size.map { size in
            Size(
                offset: place(size.offset..<size.offset).lowerBound, takesSize: size.takesSize,
                attributes: size.attributes, isDescribed: size.isDescribed,
                element: size.element.map(place), isPreload: size.isPreload)
        }
    }
}
