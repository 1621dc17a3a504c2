import Files

/// Finds out which of some images files name, whatever the files are.
///
/// Any text with the hash of an image counts, however a program wrote the rest of its name. So a
/// name in a script, in UTF-16 or with an escaped hyphen is found too.
struct NamedImages: Sendable {
    private let candidates: Set<ImageHash>
    /// The candidates that were found.
    private(set) var found: Set<ImageHash> = []

    init(_ candidates: Set<ImageHash>) { self.candidates = candidates }

    /// Searches a text.
    mutating func search(_ bytes: some Sequence<UInt8>) {
        var search = HashSearch()
        search.read(bytes, candidates, &found)
    }

    /// Searches a file of any size.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the file.
    ///   - isDocument: Whether the file is text; others are searched only if they look like it.
    /// - Throws: ``FileError``.
    mutating func search(file path: String, isDocument: Bool) throws(FileError) {
        var pieces = try FilePieces(path)
        var search = HashSearch()
        var isFirst = true
        while let piece = try pieces.next() {
            if isFirst, !isDocument, Self.isBinary(piece) { return }
            isFirst = false
            search.read(piece, candidates, &found)
        }
    }

    mutating func formUnion(_ other: NamedImages) { found.formUnion(other.found) }

    /// Whether a file is not text, by its first bytes, as git judges it; UTF-16 has a mark.
    private static func isBinary(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let mark: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]
        if mark.contains(where: { bytes.starts(with: $0) }) { return false }
        return bytes.prefix(8_000).contains(0)
    }
}

/// The state of a search that goes on from piece to piece.
private struct HashSearch {
    private var value: ImageHash = 0
    private var digits = 0

    mutating func read(
        _ bytes: some Sequence<UInt8>, _ candidates: Set<ImageHash>, _ found: inout Set<ImageHash>
    ) {
        for byte in bytes {
            // A character of UTF-16 has one.
            if byte == 0 { continue }
            guard let digit = hexDigit(byte) else {
                digits = 0
                continue
            }
            value = value << 4 | ImageHash(digit)
            digits += 1
            if digits >= 16, candidates.contains(value) { found.insert(value) }
        }
    }
}
