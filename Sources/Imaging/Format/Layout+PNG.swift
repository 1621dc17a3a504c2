extension Layout {
    /// Goes from chunk to chunk: a length (4), a name (4), the data and a checksum (4) each.
    mutating func readPNG(_ file: borrowing SourceFile) {
        var offset = 8
        isComplete = false
        while true {
            let head = file.bytes(at: offset, limit: 12)
            guard head.count >= 8 else { return }
            offset += 12 + Self.bigEndian(head[0..<4])
            guard offset <= file.count else { return }
            switch String(decoding: head[4..<8], as: UTF8.self) {
            case "acTL":
                let count = Self.bigEndian(head[8...])
                if count > 1 { frameCount = count }
            case "tEXt", "zTXt", "iTXt", "eXIf": hasMetadata = true
            case "IEND":
                isComplete = true
                return
            default: break
            }
        }
    }
}
