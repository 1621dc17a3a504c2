/// Counts lines from ever later places.
struct LineCounter {
    private let bytes: UnsafeBytes
    var offset = 0
    /// The line of the last place, counted from 1.
    private(set) var line = 1

    init(_ bytes: UnsafeBytes) { self.bytes = bytes }

    mutating func line(at offset: Int) -> Int {
        let before = UnsafeBytes(rebasing: bytes[..<max(offset, self.offset)])
        while let end = before.firstIndex(of: .lineFeed, from: self.offset) {
            line += 1
            self.offset = end + 1
        }
        self.offset = before.count
        return line
    }
}
