import DocumentSyntax

/// A line and a column in a text.
package struct Position: Sendable, Hashable {
    /// The line, counted from 1.
    ///
    /// A line ends with LF, CR LF or CR.
    package var line: Int
    /// The column in Unicode scalars, counted from 1.
    ///
    /// A byte order mark at the beginning of the document is not counted.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// The positions of byte offsets, found in one pass over the document.
///
/// - Parameters:
///   - offsets: Offsets in ascending order; an offset beyond the end of the document counts as the
///     end.
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
                // In CR LF only the LF ends the line.
                let isFirstOfPair =
                    byte == .carriageReturn && index < bytes.count
                    && bytes[index] == .lineFeed
                if isFirstOfPair { continue }
                position = Position(line: position.line + 1, column: 1)
            } else if byte & 0xC0 != 0x80 {
                position.column += 1
            }
        }
        result.append(position)
    }
    return result
}

/// The offset of each of `lines`, which are counted from 1.
func lineStarts(in bytes: UnsafeBytes, lines: Set<Int>) -> [Int: Int] {
    var result = lines.contains(1) ? [1: 0] : [:]
    var line = 1
    for (index, byte) in bytes.enumerated() where byte.isLineEnd {
        if byte == .carriageReturn, index + 1 < bytes.count, bytes[index + 1] == .lineFeed {
            continue
        }
        line += 1
        if lines.contains(line) { result[line] = index + 1 }
    }
    return result
}
