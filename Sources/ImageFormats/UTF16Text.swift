/// Text in UTF-16 that begins with a byte order mark.
package enum UTF16Text {
    /// The text in UTF-8, without the mark; nil for text without one.
    ///
    /// An odd last byte is left out.
    package static func utf8(_ bytes: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else { return nil }
        let text = Array(bytes.dropFirst(2))
        let units = stride(from: 0, to: text.count - 1, by: 2).map { place in
            let (first, second) = (UInt16(text[place]), UInt16(text[place + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
