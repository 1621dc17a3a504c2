extension FileParts {
    /// Reads the blocks in order: extensions and frames.
    ///
    /// Browsers show the frames before a block that is none.
    mutating func readGIF(_ bytes: UnsafeRawBufferPointer) {
        isComplete = false
        guard let blocks = GIFBlocks(in: bytes) else { return add(.image, 0..<bytes.count) }
        canvas = blocks.screen
        var end = blocks.start
        add(.image, 0..<end)
        var frames = GIFFrames()
        for block in blocks {
            end = block.range.upperBound
            add(block.isMetadata ? .metadata : .image, block.range)
            switch block.kind {
            case .end: isComplete = frames.count > 0
            case .control where block.range.count >= 8:
                frames.control = bytes[block.range.lowerBound + 3]
            case .frame:
                if frames.count == 0, let screen = canvas {
                    // Browsers enlarge the canvas to fit the first frame.
                    canvas = (
                        max(screen.width, block.left + block.width),
                        max(screen.height, block.top + block.height)
                    )
                }
                if block.isWhole { frames.add(block, on: canvas ?? (0, 0)) }
            case .control, .other: break
            }
        }
        hasGaps = frames.haveGaps
        if frames.count == 0 { add(.image, end..<bytes.count) }
    }
}

/// The frames of a GIF, as far as they show whether a part of the canvas is empty in one of them.
private struct GIFFrames {
    private(set) var count = 0
    /// The flags of the last graphic control before a frame.
    var control: UInt8 = 0
    private var leavesGap = false
    private var isEachTransparent = true
    /// The place of the last frame, if it is removed before the next one.
    private var removed: (left: Int, top: Int, width: Int, height: Int)?

    /// libvips paints what no frame covers, unless all frames are transparent.
    var haveGaps: Bool { leavesGap && !isEachTransparent }

    mutating func add(_ frame: GIFBlocks.Block, on canvas: (width: Int, height: Int)) {
        let needed: (left: Int, top: Int, width: Int, height: Int)? =
            count == 0 ? (0, 0, canvas.width, canvas.height) : removed
        if let (left, top, width, height) = needed {
            let isCovered =
                frame.left <= left && frame.top <= top
                && frame.left + frame.width >= left + width
                && frame.top + frame.height >= top + height
            leavesGap = leavesGap || !isCovered
        }
        isEachTransparent = isEachTransparent && control & 1 == 1
        // There is nothing before the first frame that could be restored.
        let disposal = control >> 2 & 7
        let isRemoved = disposal == 2 || count == 0 && (disposal == 3 || disposal == 4)
        removed = isRemoved ? (frame.left, frame.top, frame.width, frame.height) : nil
        (count, control) = (count + 1, 0)
    }
}

/// The blocks of a GIF (GIF89a) up to its trailer, in order.
package struct GIFBlocks: Sequence, IteratorProtocol {
    package struct Block {
        package enum Kind { case frame, control, other, end }

        package let kind: Kind
        package let range: Range<Int>
        /// Whether no byte of its chain is missing.
        package let isWhole: Bool
        /// Comments and application blocks, except the one that repeats an animation.
        package fileprivate(set) var isMetadata = false
        /// The place of a frame in its canvas.
        package fileprivate(set) var left = 0
        package fileprivate(set) var top = 0
        package fileprivate(set) var width = 0
        package fileprivate(set) var height = 0
        /// The compressed pixels of a frame: the size of a code, and a chain.
        package fileprivate(set) var data = 0..<0
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset: Int
    private var isAtEnd = false
    /// The size of the logical screen.
    package let screen: (width: Int, height: Int)
    /// The place of the first block.
    package let start: Int

    /// - Returns: nil if the header is cut short. The bytes must stay valid while the blocks are read.
    package init?(in bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 13 else { return nil }
        self.bytes = bytes
        screen = (bytes[6..<8].littleEndianNumber, bytes[8..<10].littleEndianNumber)
        offset = 13 + Self.tableSize(bytes[10])
        start = Swift.min(offset, bytes.count)
    }

    package mutating func next() -> Block? {
        guard !isAtEnd, offset < bytes.count else { return nil }
        let start = offset
        switch bytes[start] {
        case 0x3B:
            isAtEnd = true
            return Block(kind: .end, range: start..<start + 1, isWhole: true)
        case 0x2C where start + 10 < bytes.count:
            let tableEnd = start + 10 + Self.tableSize(bytes[start + 9])
            var block = block(.frame, start, chain: tableEnd + 1)
            let numbers = stride(from: start + 1, to: start + 9, by: 2).map {
                bytes[$0..<$0 + 2].littleEndianNumber
            }
            (block.left, block.top, block.width, block.height) = (
                numbers[0], numbers[1], numbers[2], numbers[3]
            )
            block.data = Swift.min(tableEnd, offset)..<offset
            return block
        case 0x21 where start + 2 < bytes.count:
            let label = bytes[start + 1]
            let name = bytes[Swift.min(start + 3, bytes.count)...].prefix(11)
            let repeats =
                label == 0xFF
                && ["NETSCAPE2.0", "ANIMEXTS1.0"].contains { name.elementsEqual($0.utf8) }
            var block = block(label == 0xF9 ? .control : .other, start, chain: start + 2)
            block.isMetadata = label != 0xF9 && !repeats
            return block
        default: return nil
        }
    }

    private mutating func block(
        _ kind: Block.Kind, _ start: Int, chain: Int
    ) -> Block {
        let end = Self.chainEnd(bytes, at: chain)
        offset = end ?? bytes.count
        return Block(kind: kind, range: start..<offset, isWhole: end != nil)
    }

    /// The size of a colour table in bytes, from the flags that announce it.
    private static func tableSize(_ flags: UInt8) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
    }

    /// The end of a chain of sub-blocks, each a length and as many bytes; length 0 ends the chain.
    private static func chainEnd(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int? {
        var offset = start
        while offset < bytes.count {
            let length = Int(bytes[offset])
            offset += 1 + length
            if length == 0 { return offset }
        }
        return nil
    }
}
