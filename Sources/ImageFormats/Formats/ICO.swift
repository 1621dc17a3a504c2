extension ImageFormat {
    /// A Windows icon, which holds several images.
    package static let ico = Row(
        rawValue: "ico", phrase: "an icon", extensions: ["ico"],
        mediaTypes: ["image/x-icon", "image/vnd.microsoft.icon", "image/ico"],
        signatures: [.bytes([0, 0, 1, 0])], size: ImageSize.ofIcon, kind: .collection,
        isShownByBrowsers: true, isShownByReaders: true
    ).format
}

extension ImageSize {
    /// Reads the directory of an icon or a cursor: the size of the largest picture.
    ///
    /// ```text
    /// 0  reserved, 0 (2)   type (2)   count (2)
    /// 6  an entry of 16 a picture: width (1)  height (1)  …
    /// ```
    static let ofIcon: Reader = { bytes in
        let fields = ByteFields(bytes)
        guard let count = fields.littleEndian(at: 4, count: 2) else { return .undecided }
        var largest: ImageSize?
        for index in 0..<count {
            let entry = 6 + 16 * index
            guard let width = fields.bigEndian(at: entry, count: 1),
                let height = fields.bigEndian(at: entry + 1, count: 1)
            else { return .undecided }
            // A single byte cannot hold 256, which is stored as 0.
            let size = ImageSize(
                width: width == 0 ? 256 : width, height: height == 0 ? 256 : height)
            if size.pixels > largest?.pixels ?? 0 { largest = size }
        }
        return largest.map { .size($0) } ?? .unknown
    }
}
