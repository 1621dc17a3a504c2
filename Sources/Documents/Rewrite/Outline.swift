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
    private var hasher = Hasher()
    private(set) var line = 1

    /// Ends the block and begins another at `line`.
    mutating func beginBlock(line: Int) {
        blocks.append(Outline.Block(hash: hasher.finalize(), line: self.line))
        hasher = Hasher()
        self.line = line
    }

    /// The blocks, the last one ended.
    consuming func finish() -> [Outline.Block] {
        beginBlock(line: line)
        return blocks
    }

    mutating func combine(_ value: Int) { hasher.combine(value) }

    /// Marks the place of a slot.
    mutating func combineSlot() { combine(-3) }

    mutating func combine(_ bytes: Bytes) { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }

    mutating func combine(_ bytes: Slice<Bytes>) { combine(Bytes(rebasing: bytes)) }

    /// Combines a C string and its end, so that neighbours cannot trade bytes; a null pointer
    /// differs from an empty string.
    mutating func combine(_ text: UnsafePointer<CChar>?) {
        guard let text else { return combine(-1) }
        let length = strlen(text)
        hasher.combine(bytes: UnsafeRawBufferPointer(start: text, count: length))
        combine(length)
    }

    /// Combines a C string without its end.
    mutating func combineText(_ text: UnsafePointer<CChar>?) {
        guard let text else { return }
        hasher.combine(bytes: UnsafeRawBufferPointer(start: text, count: strlen(text)))
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
