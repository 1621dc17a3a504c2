internal import CDeflate

/// Compression in the zlib format (RFC 1950), by libdeflate.
struct Deflate: ~Copyable {
    private let compressor: OpaquePointer

    /// A compressor of a level from 1, the fastest, to 12, the smallest; nil if there is not enough
    /// memory.
    init?(level: Int) {
        guard let compressor = libdeflate_alloc_compressor(Int32(level)) else { return nil }
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    /// - Returns: The compressed bytes; nil if there is not enough memory.
    func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        let most = libdeflate_zlib_compress_bound(compressor, bytes.count)
        let result = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = bytes.withUnsafeBytes { input in
                libdeflate_zlib_compress(
                    compressor, input.baseAddress, input.count, buffer.baseAddress, most)
            }
        }
        return result.isEmpty ? nil : result
    }

    /// The CRC-32 of ISO 3309, as defined in annex D of the PNG specification.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
    }
}
