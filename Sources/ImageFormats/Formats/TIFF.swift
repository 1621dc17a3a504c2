extension ImageFormat {
    /// TIFF (version 6.0) and BigTIFF.
    package static let tiff = Row(
        rawValue: "tiff", phrase: "a TIFF image", extensions: ["tif", "tiff"],
        mediaTypes: ["image/tiff"],
        signatures: [.text("II*\0"), .text("MM\0*"), .text("II+\0"), .text("MM\0+")],
        size: sizeOfTIFF,
        decoder: Decoder("tiffload_source", class: "VipsForeignLoadTiff", hasLevels: true),
        isLossless: true,
        libraries: ["libtiff"]
    ).format
}

/// Reads the first directory of a classic TIFF (section 2), which is often at the end of the file.
private let sizeOfTIFF: ImageSize.Reader = { bytes in
    let fields = ByteFields(bytes)
    func number(_ offset: Int, _ count: Int) -> Int? {
        bytes[0] == UInt8(ascii: "I")
            ? fields.littleEndian(at: offset, count: count)
            : fields.bigEndian(at: offset, count: count)
    }
    guard bytes.count >= 8, let version = number(2, 2), let directory = number(4, 4) else {
        return .undecided
    }
    guard version == 42 else { return .unknown }
    guard let count = number(directory, 2) else { return .undecided }
    var values: [Int: Int] = [:]
    for index in 0..<count {
        let entry = directory + 2 + 12 * index
        guard let tag = number(entry, 2), let type = number(entry + 2, 2) else {
            return .undecided
        }
        // Types 3 and 4 are numbers of 16 and 32 bits.
        if [256, 257].contains(tag), [3, 4].contains(type),
            let value = number(entry + 8, type == 3 ? 2 : 4)
        {
            values[tag] = value
        }
        if let width = values[256], let height = values[257] { return .size(width, height) }
    }
    return .unknown
}
