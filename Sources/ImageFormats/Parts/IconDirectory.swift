/// The directory at the beginning of an ICO file.
///
/// ```text
/// 0  reserved, 0 (2)   type, 1 (2)   count (2)
/// 6  an entry of 16 a picture: width (1)  height (1)  …  size in bytes (4)  offset (4)
/// ```
package struct IconDirectory {
    /// The width of the largest picture, which browsers use as the size.
    package private(set) var width = 0
    package private(set) var height = 0
    /// The bytes before the first picture.
    private let head: [UInt8]
    /// The place of each picture.
    private var pictures: [Range<Int>] = []

    /// - Returns: nil if the directory is cut short or points outside the file.
    package init?(of bytes: UnsafeRawBufferPointer) {
        let count = bytes.count >= 6 ? bytes[4..<6].littleEndianNumber : 0
        guard count > 0, bytes.count >= 6 + 16 * count else { return nil }
        head = Array(bytes[..<(6 + 16 * count)])
        for place in stride(from: 6, to: head.count, by: 16) {
            let size = head[place + 8..<place + 12].littleEndianNumber
            let offset = head[place + 12..<place + 16].littleEndianNumber
            guard size > 0, offset >= head.count, offset + size <= bytes.count else { return nil }
            pictures.append(offset..<Self.end(of: offset..<offset + size, in: bytes))
            let picture = Self.size(in: head, at: place)
            if picture.pixels > width * height {
                (width, height) = (picture.width, picture.height)
            }
        }
    }

    /// The size of the picture whose entry is at `place`.
    static func size(in bytes: [UInt8], at place: Int) -> ImageSize {
        // A single byte cannot hold 256, which is stored as 0.
        let (across, down) = (Int(bytes[place]), Int(bytes[place + 1]))
        return ImageSize(width: across == 0 ? 256 : across, height: down == 0 ? 256 : down)
    }

    /// The file with nothing but its pictures; nil if every byte belongs to one.
    package func compact(_ file: UnsafeRawBufferPointer) -> [UInt8]? {
        var end = head.count
        var isWhole = true
        for picture in pictures.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            isWhole = isWhole && picture.lowerBound <= end
            end = max(end, picture.upperBound)
        }
        if isWhole, end == file.count { return nil }
        var bytes = head
        var places: [Range<Int>: Int] = [:]
        for (number, picture) in pictures.enumerated() {
            let place = places[picture] ?? bytes.count
            if places[picture] == nil {
                places[picture] = place
                bytes += file[picture]
            }
            for (field, value) in [(8, picture.count), (12, place)] {
                let start = 6 + 16 * number + field
                bytes.replaceSubrange(start..<start + 4, with: value.littleEndianBytes(4))
            }
        }
        // Pictures that overlap would grow; they have no gaps that matter.
        return bytes.count <= file.count ? bytes : Array(file[..<end])
    }

    /// The end of a picture; that of a PNG is its end mark.
    private static func end(of picture: Range<Int>, in file: UnsafeRawBufferPointer) -> Int {
        let bytes = UnsafeRawBufferPointer(rebasing: file[picture])
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return picture.upperBound }
        var end = 0
        for chunk in PNGChunks(in: bytes) where chunk.name == "IEND" {
            end = chunk.range.upperBound
        }
        return end > 0 ? picture.lowerBound + end : picture.upperBound
    }
}
