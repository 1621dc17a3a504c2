import Files
import Sites

/// Finds out which of some images files name, whatever the files are.
///
/// Any text with the hash of an image counts, however a program wrote the rest of its name. So a
/// name in a script, in UTF-16 or with an escaped hyphen is found too.
struct NamedImages: Sendable {
    private let candidates: Set<ImageHash>
    /// The candidates that were found.
    private(set) var found: Set<ImageHash> = []

    init(_ candidates: Set<ImageHash>) { self.candidates = candidates }

    mutating func formUnion(_ images: Set<ImageHash>) {
        found.formUnion(images.intersection(candidates))
    }

    /// Searches a file of any size.
    ///
    /// - Parameter path: The absolute path of the file.
    /// - Throws: ``FileError``.
    mutating func search(file path: String) throws(FileError) {
        if candidates.isEmpty { return }
        var pieces = try FilePieces(path)
        var search = HashSearch()
        while let piece = try pieces.next() { search.read(piece, candidates, &found) }
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
