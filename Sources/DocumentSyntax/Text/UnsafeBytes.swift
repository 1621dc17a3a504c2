// Public, because functions that other modules compile call memchr.
public import Glibc
import URLs

/// A borrowed buffer of bytes, valid as long as its owner.
@usableFromInline
package typealias UnsafeBytes = UnsafeBufferPointer<UInt8>

extension UnsafeBytes {
    /// The bytes of a C string without its terminator; none for a null pointer.
    package init(cString text: UnsafePointer<CChar>?) {
        let start = UnsafeRawPointer(text)?.assumingMemoryBound(to: UInt8.self)
        self.init(start: start, count: text.map { strlen($0) } ?? 0)
    }

    /// A copy of the bytes in `range`.
    package func copy(_ range: Range<Int>) -> [UInt8] { Array(self[range]) }

    /// The index of the first `byte` at or after `start`.
    @inlinable package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress else { return nil }
        guard let found = memchr(base + start, Int32(byte), count - start) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// The index of the first `lowercaseText` at or after `start`, ignoring case; it begins with no
    /// letter.
    @inlinable package func firstIndex(of lowercaseText: StaticString, from start: Int) -> Int? {
        var found = firstIndex(of: lowercaseText.utf8Start[0], from: start)
        while let index = found, !matches(lowercaseText, at: index) {
            found = firstIndex(of: lowercaseText.utf8Start[0], from: index + 1)
        }
        return found
    }

    /// Whether `byte` is among the bytes.
    @inlinable package func contains(_ byte: UInt8) -> Bool { firstIndex(of: byte, from: 0) != nil }

    /// Whether the bytes at `start` are `lowercaseText`, ignoring case.
    @inlinable package func matches(_ lowercaseText: StaticString, at start: Int) -> Bool {
        let length = lowercaseText.utf8CodeUnitCount
        guard start >= 0, start + length <= count else { return false }
        for offset in 0..<length
        where self[start + offset].lowercased != lowercaseText.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Whether the bytes in `range`, or all of them, are this lower-case word, ignoring case.
    @inlinable package func isWord(_ word: StaticString, in range: Range<Int>? = nil) -> Bool {
        let range = range ?? 0..<count
        return range.count == word.utf8CodeUnitCount && matches(word, at: range.lowerBound)
    }

    /// Whether the bytes are `text`, in the same case.
    package func isExactly(_ text: StaticString) -> Bool {
        isSame(as: UnsafeBytes(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Whether the bytes contain `text`, in the same case.
    package func containsExactly(_ text: StaticString) -> Bool {
        place(of: text, in: self) != nil
    }

    /// The bytes in `range` as text; nil if they are not valid UTF-8.
    package func string(_ range: Range<Int>) -> String? {
        String(utf8: self[range])
    }

    /// Whether the bytes equal those of `other`.
    package func isSame(as other: UnsafeBytes) -> Bool {
        guard count == other.count, let base = baseAddress, let otherBase = other.baseAddress else {
            return count == other.count
        }
        return memcmp(base, otherBase, count) == 0
    }

    /// Whether the bytes in `range` are those at `start` of `other`.
    package func isSame(_ range: Range<Int>, at start: Int, in other: UnsafeBytes)
        -> Bool
    {
        guard start + range.count <= other.count else { return false }
        return UnsafeBytes(rebasing: self[range])
            .isSame(as: UnsafeBytes(rebasing: other[start..<start + range.count]))
    }

    /// Whether the bytes in `range` are valid UTF-8.
    package func isUTF8(_ range: Range<Int>) -> Bool {
        UnsafeBytes(rebasing: self[range]).isASCII || string(range) != nil
    }

    /// Whether the bytes contain `lowercaseText`, ignoring case.
    package func contains(_ lowercaseText: String) -> Bool {
        let text = Array(lowercaseText.utf8)
        guard let first = text.first else { return false }
        return indices.contains { index in
            self[index].lowercased == first
                && text.indices.allSatisfy {
                    index + $0 < count && self[index + $0].lowercased == text[$0]
                }
        }
    }

    /// The bytes as text in lower case.
    package var lowercasedText: String {
        String(decoding: lazy.map(\.lowercased), as: UTF8.self)
    }

    /// Whether an odd number of backslashes, none of them before `start`, precedes the byte at
    /// `index`.
    package func isEscaped(_ index: Int, from start: Int) -> Bool {
        let marks = self[start..<index].reversed().prefix { $0 == .backslash }
        return marks.count % 2 == 1
    }

    /// The range without the whitespace at its ends.
    @inlinable package func trimmingWhitespace(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isHTMLSpace { start += 1 }
        while end > start, self[end - 1].isHTMLSpace { end -= 1 }
        return start..<end
    }
}

extension Collection<UInt8> {
    /// Whether all bytes are ASCII.
    ///
    /// The loop has no early exit, so that it reads many bytes at once.
    @inlinable package var isASCII: Bool { reduce(0, |) < 0x80 }
}

extension String {
    /// The text in these bytes; nil if they are not valid UTF-8.
    ///
    /// Nearly all URLs are ASCII, for which `String(validating:as:)` is slower.
    @inlinable package init?(utf8 bytes: some Collection<UInt8>) {
        if bytes.isASCII {
            self.init(decoding: bytes, as: UTF8.self)
        } else {
            self.init(validating: bytes, as: UTF8.self)
        }
    }
}

extension UnsafeBytes {
    /// The places of `byte` at or after `start`, in order.
    package func places(of byte: UInt8, from start: Int = 0) -> UnfoldSequence<Int, Int> {
        sequence(state: start) { start in
            let found = firstIndex(of: byte, from: start)
            if let found { start = found + 1 }
            return found
        }
    }
}

/// A search for a byte from ever later places, which reads each byte once.
package struct ForwardSearch {
    private let bytes: UnsafeBytes
    private let byte: UInt8
    private var next: Int?

    package init(_ byte: UInt8, in bytes: UnsafeBytes) {
        self.byte = byte
        self.bytes = bytes
        next = bytes.firstIndex(of: byte, from: 0)
    }

    /// The first place of the byte at or after `start`, which must not be less than before.
    package mutating func first(from start: Int) -> Int? {
        if let next, next < start { self.next = bytes.firstIndex(of: byte, from: start) }
        return next
    }
}
