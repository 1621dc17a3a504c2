import ImageFormats

extension FileParts {
    /// Reads the blocks in order: extensions and frames, each a chain of sub-blocks of up to 255
    /// bytes.
    ///
    /// Some writers omit the end mark; a file that ends after a complete block is complete.
    mutating func readGIF(_ file: borrowing SourceFile) {
        let bytes = file.buffer
        isComplete = false
        guard bytes.count >= 13 else { return add(.image, 0..<bytes.count) }
        canvas = (bytes[6..<8].littleEndianNumber, bytes[8..<10].littleEndianNumber)
        var offset = 13 + Self.colourTableSize(bytes[10])
        add(.image, 0..<min(offset, bytes.count))
        var isAnyFrameWhole = false
        while offset < bytes.count {
            let start = offset
            var kind = Kind.image
            switch bytes[offset] {
            case 0x3B:
                isComplete = true
                return add(.image, start..<start + 1)
            case 0x2C:
                guard offset + 10 < bytes.count else { return add(.image, start..<bytes.count) }
                if !isAnyFrameWhole { expandCanvas(by: bytes[offset + 1..<offset + 9]) }
                offset += 11 + Self.colourTableSize(bytes[offset + 9])
                isAnyFrameWhole = true
            case 0x21:
                kind = Self.extensionKind(bytes, at: offset)
                offset += 2
            default:
                // This is not a block of a GIF. Browsers end here and show the frames before it.
                isComplete = true
                return isAnyFrameWhole ? () : add(.image, start..<bytes.count)
            }
            guard let end = Self.chainEnd(bytes, at: offset) else {
                return add(.image, start..<bytes.count)
            }
            add(kind, start..<end)
            offset = end
        }
        isComplete = isAnyFrameWhole && offset == bytes.count
    }

    /// Enlarges the canvas to fit the first frame, as browsers do.
    private mutating func expandCanvas(by place: Slice<UnsafeRawBufferPointer>) {
        let numbers = stride(from: place.startIndex, to: place.endIndex, by: 2).map {
            place[$0..<$0 + 2].littleEndianNumber
        }
        guard let screen = canvas else { return }
        canvas = (
            max(screen.width, numbers[0] + numbers[2]), max(screen.height, numbers[1] + numbers[3])
        )
    }

    /// The kind of an extension: comments and application blocks are metadata, except the block
    /// that loops an animation.
    private static func extensionKind(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Kind {
        guard offset + 14 <= bytes.count else { return .image }
        switch bytes[offset + 1] {
        case 0xFE: return .metadata
        case 0xFF where bytes[offset + 2] == 11:
            let name = String(decoding: bytes[offset + 3..<offset + 14], as: UTF8.self)
            return ["NETSCAPE2.0", "ANIMEXTS1.0"].contains(name) ? .image : .metadata
        default: return .image
        }
    }

    /// The size of a colour table in bytes, from the flags that announce it.
    private static func colourTableSize(_ flags: UInt8) -> Int {
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
