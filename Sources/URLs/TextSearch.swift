internal import Files

/// The offset of the first occurrence of a text in ASCII; nil if there is none.
package func place(of text: StaticString, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let length = text.utf8CodeUnitCount
    var start = 0
    while start + length <= bytes.count,
        let first = memchr(base + start, Int32(text.utf8Start[0]), bytes.count - start)
    {
        start = UnsafeRawPointer(first) - UnsafeRawPointer(base)
        guard start + length <= bytes.count else { return nil }
        if memcmp(base + start, text.utf8Start, length) == 0 { return start }
        start += 1
    }
    return nil
}

extension Collection<UInt8> {
    /// The range of the first occurrence of a text in ASCII; nil if there is none.
    package func range(ofText text: StaticString) -> Range<Index>? {
        let length = text.utf8CodeUnitCount
        let found = withContiguousStorageIfAvailable { place(of: text, in: $0) }
        guard let found else { return Array(self).range(ofText: text).map(indices) }
        return found.map { indices($0..<$0 + length) }
    }

    private func indices(_ offsets: Range<Int>) -> Range<Index> {
        let start = index(startIndex, offsetBy: offsets.lowerBound)
        return start..<index(start, offsetBy: offsets.count)
    }
}
