/// A chunk of a PNG.
enum PNGChunk {
    static func bytes(_ name: String, _ data: some Collection<UInt8>) -> [UInt8] {
        let body = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(Deflate.checksum(body))
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
