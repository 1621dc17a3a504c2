import Recipes

/// The directory at the beginning of an ICO file.
///
/// ```text
/// 0  reserved, 0 (2)   type, 1 (2)   count (2)
/// 6  an entry of 16 a picture: width (1)  height (1)  …  size in bytes (4)  offset (4)
/// ```
enum IconDirectory {
    /// The width and height of the largest picture, which browsers use as the size.
    static func size(of file: borrowing SourceFile) throws(JobResult.Failure) -> (Int, Int) {
        let head = file.bytes(at: 0, limit: 6)
        let count = head.count == 6 ? Int(head[4]) | Int(head[5]) << 8 : 0
        let entries = file.bytes(at: 6, limit: 16 * count)
        guard count > 0, entries.count == 16 * count else {
            throw JobResult.Failure(.corrupt, "the icon's directory is cut short")
        }
        var largest = (width: 0, height: 0)
        for start in stride(from: 0, to: entries.count, by: 16) {
            let entry = Array(entries[start..<start + 16])
            try check(entry, firstByte: 6 + entries.count, fileCount: file.count)
            // A single byte cannot hold 256, which is stored as 0.
            let width = entry[0] == 0 ? 256 : Int(entry[0])
            let height = entry[1] == 0 ? 256 : Int(entry[1])
            if width * height > largest.width * largest.height { largest = (width, height) }
        }
        return largest
    }

    private static func check(
        _ entry: [UInt8], firstByte: Int, fileCount: Int
    ) throws(JobResult.Failure) {
        let size = littleEndian(entry[8..<12])
        let offset = littleEndian(entry[12..<16])
        guard size > 0, offset >= firstByte, offset + size <= fileCount else {
            throw JobResult.Failure(.corrupt, "the icon's directory points outside the file")
        }
    }

    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
