internal import Glibc

/// What a parser saw in a document, split into what may change and what may not.
///
/// Two outlines with equal blocks and equal slots come from the same tree.
struct Outline: Sendable {
    /// A stretch of the tree without its slots.
    struct Block: Sendable {
        /// Of everything in the block but the slots.
        ///
        /// `Hasher` is keyed anew in each process, so that no document can be made to collide.
        var hash: Int
        /// The line on which the block begins, counted from 1.
        var line: Int
    }

    /// A value of the tree that may hold URLs, in the order of the tree.
    struct Slot: Sendable {
        /// The value as the tree has it.
        var value: [UInt8]
        /// The URLs in it, in order.
        var pieces: [Piece]
        /// The line on which its block begins.
        var line: Int
    }

    /// One URL in a slot.
    struct Piece: Sendable {
        /// Where it stands in the slot's value.
        var range: Range<Int>
        var url: String
    }

    /// Says which piece of which slot.
    struct PieceIndex: Sendable {
        var slot: Int
        var piece: Int
    }

    var blocks: [Block] = []
    var slots: [Slot] = []
}

/// Hashes the parts of a tree in order, a block at a time.
struct OutlineHasher {
    private(set) var blocks: [Outline.Block] = []
    /// What the block is made of; to hash it at once is faster than in the many small parts.
    private var parts: [UInt8] = []
    private(set) var line = 1

    /// Ends the block and begins another at `line`.
    mutating func beginBlock(line: Int) {
        var hasher = Hasher()
        parts.withUnsafeBytes { hasher.combine(bytes: $0) }
        parts.removeAll(keepingCapacity: true)
        blocks.append(Outline.Block(hash: hasher.finalize(), line: self.line))
        self.line = line
    }

    /// The blocks, the last one ended.
    consuming func finish() -> [Outline.Block] {
        beginBlock(line: line)
        return blocks
    }

    /// What stands between the parts of a tree.
    enum Mark: UInt8 { case slot, end, missing, htmlEnd }

    /// No text in UTF-8 has a byte like the one before a mark.
    mutating func combine(_ mark: Mark) {
        parts.append(0xFF)
        parts.append(mark.rawValue)
    }

    mutating func combine(_ value: Int) {
        // Nearly all are small.
        var rest = UInt(bitPattern: value)
        repeat {
            parts.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        } while rest > 0
        parts.append(0xFF)
    }

    /// Marks the place of a slot.
    mutating func combineSlot() { combine(.slot) }

    mutating func combine(_ bytes: Bytes) { parts.append(contentsOf: bytes) }

    mutating func combine(_ bytes: Slice<Bytes>) { combine(Bytes(rebasing: bytes)) }

    /// Combines a C string and its end, so that neighbours cannot trade bytes; a null pointer
    /// differs from an empty string.
    mutating func combine(_ text: UnsafePointer<CChar>?) {
        guard let text else { return combine(.missing) }
        let start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        combine(Bytes(start: start, count: strlen(text) + 1))
    }

    /// Combines a C string without its end.
    mutating func combineText(_ text: UnsafePointer<CChar>?) {
        guard let text else { return }
        let start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        combine(Bytes(start: start, count: strlen(text)))
    }
}

/// What the slot for an `<img>` element's size holds, given its attributes.
func sizeSlotValue(width: String?, height: String?) -> [UInt8] {
    // No attribute's value has a NUL, and none is the same as none at all.
    var value: [UInt8] = []
    if let width { value += width.utf8 + [0] }
    value.append(0)
    if let height { value += height.utf8 + [0] }
    return value
}
