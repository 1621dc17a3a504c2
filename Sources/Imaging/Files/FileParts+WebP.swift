/// The chunks of a WebP file.
///
/// ```text
/// 0   RIFF  length (4)  WEBP
/// 12  VP8X  10 (4)  flags (1)  …        if there is more than one plain picture
///     then a name (4), a length (4), the data and a byte if that is odd, each
/// ```
enum WebPContainer {
    private static let metadata: Set<String> = ["EXIF", "XMP ", "ICCP"]
    /// The flags of a VP8X chunk that announce such metadata: ICC, EXIF, XMP.
    private static let metadataFlags: UInt8 = 0x20 | 0x08 | 0x04

    /// Moves what is left without metadata to the front, and gives its length.
    static func strip(_ file: UnsafeMutableRawBufferPointer) -> Int {
        guard file.count >= 30, name(file, at: 12) == "VP8X" else { return file.count }
        file[20] &= ~metadataFlags
        // Without any flag the chunk says nothing that the picture does not.
        var end = file[20] == 0 ? 12 : 30
        var start = 30
        while start + 8 <= file.count {
            let length = littleEndian(file, at: start + 4)
            let next = min(file.count, start + 8 + length + length % 2)
            if !metadata.contains(name(file, at: start)) {
                let kept = UnsafeMutableRawBufferPointer(rebasing: file[end...])
                kept.copyMemory(from: UnsafeRawBufferPointer(rebasing: file[start..<next]))
                end += next - start
            }
            start = next
        }
        for byte in 0..<4 { file[4 + byte] = UInt8(truncatingIfNeeded: (end - 8) >> (8 * byte)) }
        return end
    }

    private static func name(_ file: UnsafeMutableRawBufferPointer, at offset: Int) -> String {
        String(decoding: file[offset..<offset + 4], as: UTF8.self)
    }

    private static func littleEndian(_ file: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
    }
}
