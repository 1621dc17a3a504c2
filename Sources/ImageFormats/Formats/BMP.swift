extension ImageFormat {
    /// A Windows bitmap.
    package static let bmp = Row(
        rawValue: "bmp", phrase: "a BMP image", extensions: ["bmp", "dib"],
        mediaTypes: ["image/bmp", "image/x-ms-bmp"],
        signatures: [.text("BM")], size: sizeOfBMP,
        // Its pixels are first converted to TIFF.
        decoder: Decoder("tiffload_source", class: "VipsForeignLoadTiff", hasLevels: true),
        isLossless: true
    ).format
}

/// Reads the information header, or the older core header, which is 12 bytes long.
///
/// The length of the file, which comes before it, must be enough for pixels without compression.
private let sizeOfBMP: ImageSize.Reader = { bytes in
    let fields = ByteFields(bytes)
    guard let stated = fields.littleEndian(at: 2, count: 4),
        let length = fields.littleEndian(at: 14, count: 4)
    else { return .undecided }
    let count = length == 12 ? 2 : 4
    guard let width = fields.littleEndian(at: 18, count: count),
        let height = fields.littleEndian(at: 18 + count, count: count),
        let bits = fields.littleEndian(at: 20 + 2 * count, count: 2),
        let method = length < 20 ? 0 : fields.littleEndian(at: 30, count: 4)
    else { return .undecided }
    // A negative height means that the first row is the uppermost one.
    let rows = count == 4 ? Int(Int32(truncatingIfNeeded: height).magnitude) : height
    let size = ImageSize(width: width, height: rows)
    let isSound =
        (1...32).contains(bits) && ([1, 2].contains(method) || size.pixels / 8 <= stated / bits)
    return isSound ? .size(size) : .unknown
}
