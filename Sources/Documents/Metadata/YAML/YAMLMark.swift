/// A line and a column as the YAML parser counts them: from 1, with columns in Unicode scalars.
struct YAMLMark: Hashable, Comparable {
    var line: Int
    var column: Int

    static func < (left: YAMLMark, right: YAMLMark) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    /// Converts marks to offsets in one pass; marks must be requested in order.
    struct Index {
        private let text: UnsafeBytes
        private var mark = YAMLMark(line: 1, column: 1)
        private var offset = 0

        init(_ text: UnsafeBytes) { self.text = text }

        /// The offset of `wanted`; nil if there is no such place after the previous one.
        mutating func offset(of wanted: YAMLMark) -> Int? {
            while mark < wanted, offset < text.count { advance() }
            return mark == wanted && offset < text.count ? offset : nil
        }

        private mutating func advance() {
            let length = lineEnd
            if length > 0 {
                offset += length
                mark = YAMLMark(line: mark.line + 1, column: 1)
            } else {
                offset += 1
                while offset < text.count, text[offset] & 0xC0 == 0x80 { offset += 1 }
                mark.column += 1
            }
        }

        /// The length of the line end at `offset`; 0 if there is none.
        ///
        /// Besides ASCII line ends, YAML 1.1 has U+0085, U+2028 and U+2029.
        private var lineEnd: Int {
            switch text[offset] {
            case .lineFeed: 1
            case .carriageReturn: text.matches("\r\n", at: offset) ? 2 : 1
            case 0xC2: isNext([0x85]) ? 2 : 0
            case 0xE2: isNext([0x80, 0xA8]) || isNext([0x80, 0xA9]) ? 3 : 0
            default: 0
            }
        }

        private func isNext(_ rest: [UInt8]) -> Bool { text[(offset + 1)...].starts(with: rest) }
    }
}
