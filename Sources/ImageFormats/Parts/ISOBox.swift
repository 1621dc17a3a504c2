/// A box of an ISO base media file.
package struct ISOBox {
    package let name: String
    package let range: Range<Int>
    package let content: Range<Int>

    /// The box at `start`; nil if there is none that ends before `end`.
    package init?(_ bytes: UnsafeRawBufferPointer, at start: Int, end: Int) {
        guard start <= min(end, bytes.count) - 8 else { return nil }
        var size = bytes[start..<start + 4].bigEndianNumber
        var head = 8
        if size == 1, start + 16 <= min(end, bytes.count) {
            guard bytes[start + 8] == 0 else { return nil }
            size = bytes[start + 8..<start + 16].bigEndianNumber
            head = 16
        } else if size == 0 {
            size = end - start
        }
        guard size >= head, size <= end - start else { return nil }
        name = String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)
        range = start..<start + size
        content = start + head..<start + size
    }

    /// The consecutive boxes in `range`.
    package static func all(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> [ISOBox] {
        var boxes: [ISOBox] = []
        var offset = range.lowerBound
        while let box = ISOBox(bytes, at: offset, end: range.upperBound) {
            boxes.append(box)
            offset = box.range.upperBound
        }
        return boxes
    }
}

extension UnsafeRawBufferPointer {
    /// The unsigned number in `count` bytes, the most significant one first; 0 behind the end.
    package func number(at start: Int, _ count: Int) -> Int {
        start + count <= self.count ? self[start..<start + count].bigEndianNumber : 0
    }
}

extension Range<Int> {
    func dropFirst(_ count: Int) -> Range<Int> {
        Swift.min(lowerBound + count, upperBound)..<upperBound
    }
}
