internal import CZlib

/// Reads the beginning of a file that is compressed by gzip (RFC 1952).
enum GzipSniffer {
    static let signature: [UInt8] = [0x1F, 0x8B, 8]

    /// The root of the compressed XML document, by at most ``ImageSniffer/longestPrefix`` bytes.
    static func root(of bytes: [UInt8]) -> MarkupSniffer.Root {
        let most = ImageSniffer.longestPrefix
        let text = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            count = bytes.withUnsafeBytes { input in
                guard let start = input.baseAddress, let target = room.baseAddress else { return 0 }
                return Int(czlib_beginning(start, UInt32(input.count), target, UInt32(most)))
            }
        }
        return MarkupSniffer.root(of: text)
    }
}
