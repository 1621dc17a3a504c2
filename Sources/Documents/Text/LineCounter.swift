/// Counts lines from ever later places.
struct LineCounter {
    private let bytes: UnsafeBytes
    var offset = 0
    /// The line of the last place, counted from 1.
    private(set) var line = 1

    init(_ bytes: UnsafeBytes) { self.bytes = bytes }

    mutating func line(at offset: Int) -> Int {
        if offset > self.offset {
            line += bytes.count(of: .lineFeed, in: self.offset..<offset)
            self.offset = offset
        }
        return line
    }
}
