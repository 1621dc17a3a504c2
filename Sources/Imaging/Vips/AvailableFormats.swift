internal import CVips
import ImageFormats

/// The formats that the installed libraries read and write.
///
/// A build of libvips may lack a format, and libheif may lack a codec.
enum AvailableFormats {
    /// Valid after the codecs have been loaded.
    static var readable: [ImageFormat] { ImageFormat.all.filter(canRead) }

    /// Valid after the codecs have been loaded.
    static func canRead(_ format: ImageFormat) -> Bool {
        guard let decoder = format.decoder else { return false }
        return cvips_has_operation(decoder.operation) != 0
            && format.hasCodec("heif_have_decoder_for_format")
    }

    /// Valid after the codecs have been loaded.
    static var writable: [ImageFormat] {
        ImageFormat.all.filter { format in
            guard let encoder = format.encoder else { return false }
            return cvips_has_operation(encoder.operation) != 0
                && format.hasCodec("heif_have_encoder_for_format")
        }
    }
}

extension ImageFormat {
    /// Whether libheif has the codec, if the format needs one.
    fileprivate func hasCodec(_ function: String) -> Bool {
        // The numbers of `heif_compression_format`, which are part of its interface.
        let compression: Int32? = [.avif: 4, .heic: 1][self]
        return compression.map { cvips_heif_has(function, $0) != 0 } ?? true
    }
}
