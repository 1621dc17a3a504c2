extension FileStructure {
    /// Goes from block to block: extensions and frames, each a chain of up to 255 bytes a link.
    ///
    /// Some writers leave out the end mark; a file that ends behind a whole block is complete.
    mutating func readGIF(_ file: borrowing SourceFile) {
        var reader = ByteReader(file: file.bytes(at: 0, limit: file.count), offset: 10)
        isComplete = false
        guard let flags = reader.next() else { return }
        reader.skip(2 + Self.colours(flags))
        var isAnyFrameWhole = false
        while let block = reader.next() {
            switch block {
            case 0x3B:
                isComplete = true
                return
            case 0x2C:
                reader.skip(8)
                guard let flags = reader.next() else { return }
                reader.skip(Self.colours(flags) + 1)
                isAnyFrameWhole = true
            case 0x21:
                if reader.next() == 0xFE { hasMetadata = true }
            default:
                // No block of a GIF: whether that is an error, the decoder knows.
                isComplete = true
                return
            }
            guard reader.skipChain() else { return }
        }
        isComplete = isAnyFrameWhole && reader.isAtEnd
    }

    /// The bytes of a colour table, by the flags that announce it.
    private static func colours(_ flags: UInt8) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
    }
}

/// Reads bytes one after the other.
private struct ByteReader {
    let file: [UInt8]
    var offset: Int

    var isAtEnd: Bool { offset == file.count }

    mutating func next() -> UInt8? {
        guard offset < file.count else { return nil }
        defer { offset += 1 }
        return file[offset]
    }

    mutating func skip(_ count: Int) { offset += count }

    /// Skips links of a length and as many bytes up to one of length 0; false if none is there.
    mutating func skipChain() -> Bool {
        while let length = next() {
            if length == 0 { return true }
            skip(Int(length))
        }
        return false
    }
}
