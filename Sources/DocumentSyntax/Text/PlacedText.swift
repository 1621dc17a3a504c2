/// A text that is decoded from a source, with the place of each byte in the source.
package struct PlacedText {
    /// The bytes of the text from `start` to that of the next run.
    private struct Run {
        var start: Int32
        /// The offset in the source of the first byte.
        var place: Int32
        /// Whether the bytes are those of the source, and not what an escape stands for.
        var isCopied: Bool
    }

    package private(set) var bytes: [UInt8] = []
    private var runs: [Run] = []

    /// A text without escapes, whose source begins at `place`.
    package init(_ source: UnsafeBytes, at place: Int = 0) {
        bytes = Array(source)
        if place > 0 { runs = [Run(start: 0, place: Int32(place), isCopied: true)] }
    }

    /// A text to which parts are added, of at most about `capacity` bytes.
    package init(capacity: Int = 0) {
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// Adds bytes that are in the source at `place`.
    package mutating func copy(_ source: UnsafeBytes, at place: Int) {
        begin(at: place, isCopied: true)
        bytes.append(contentsOf: source)
    }

    /// Adds the character that an escape at `place` stands for.
    ///
    /// What follows, or an empty text at the end of the source, must be added too.
    package mutating func add(_ character: Unicode.Scalar, for place: Int) {
        guard character.isASCII else { return add(character.utf8, for: place) }
        begin(at: place, isCopied: false)
        bytes.append(UInt8(truncatingIfNeeded: character.value))
    }

    /// Adds the text that an escape at `place` stands for, as for a character.
    package mutating func add(_ text: some Collection<UInt8>, for place: Int) {
        begin(at: place, isCopied: false)
        bytes.append(contentsOf: text)
    }

    private mutating func begin(at place: Int, isCopied: Bool) {
        // Most texts with an escape have several.
        if runs.isEmpty { runs.reserveCapacity(16) }
        runs.append(Run(start: Int32(bytes.count), place: Int32(place), isCopied: isCopied))
    }

    /// The offset in the source of the byte at `offset`, or of the end.
    package func place(of offset: Int) -> Int {
        // Places are ascending, so the last run that begins at or before `offset` has it.
        let next = runs.firstSortedIndex { Int($0.start) > offset }
        guard next > 0 else { return offset }
        let run = runs[next - 1]
        return Int(run.place) + (run.isCopied ? offset - Int(run.start) : 0)
    }

    package func place(of range: Range<Int>) -> Range<Int> {
        place(of: range.lowerBound)..<place(of: range.upperBound)
    }
}
