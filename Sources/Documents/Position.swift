/// A place in a text as people count it.
package struct Position: Sendable, Hashable {
    /// 1 for the first line; lines end at LF, CR LF or CR.
    package var line: Int
    /// 1 for the first character of a line, counted in Unicode scalars; a byte order mark at the
    /// beginning of the document is not counted.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// The positions of byte offsets, found in one pass over the document.
///
/// - Parameters:
///   - offsets: In ascending order; an offset past the end is taken as the end.
///   - bytes: The document.
/// - Returns: A position for each offset.
package func positions(of offsets: [Int], in bytes: [UInt8]) -> [Position] {
    var result: [Position] = []
    result.reserveCapacity(offsets.count)
    var position = Position(line: 1, column: 1)
    var index = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
    for offset in offsets {
        let end = min(offset, bytes.count)
        while index < end {
            let byte = bytes[index]
            index += 1
            if byte == .lineFeed || byte == .carriageReturn {
                // Within CR LF only the LF ends the line.
                let isHalf =
                    byte == .carriageReturn && index < bytes.count
                    && bytes[index] == .lineFeed
                if isHalf { continue }
                position = Position(line: position.line + 1, column: 1)
            } else if byte & 0xC0 != 0x80 {
                position.column += 1
            }
        }
        result.append(position)
    }
    return result
}
