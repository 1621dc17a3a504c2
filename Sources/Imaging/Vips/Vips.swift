internal import CVips
import Glibc
import ImageFormats
import Recipes

/// The global state of libvips: its start, its errors and the allowed loaders.
enum Vips {
    /// The outcome of starting libvips, which happens once in a process.
    static let start: Result<Void, JobResult.JobError> = Result { () throws(JobResult.JobError) in
        cvips_silence()
        let modules = VipsModules.directory
        // By default, libvips loads all of its modules, among them ImageMagick, Poppler and
        // OpenSlide. That takes longer than the rest of the start, and only a few of them are
        // needed.
        if modules != nil { setenv("VIPSHOME", "/nonexistent", 1) }
        let code = cvips_init("imgbake")
        if modules != nil { unsetenv("VIPSHOME") }
        guard code == 0 else {
            throw JobResult.JobError(.unsupported, "libvips could not be started: \(takeError())")
        }
        if let modules { VipsModules.load(from: modules) }
        vips_cache_set_max(0)
        vips_concurrency_set(1)
        vips_block_untrusted_set(1)
    }

    /// Allocates the memory for compiled code, if this libvips compiles any.
    ///
    /// liborc, which older versions use for scaling, compiles a loop for each factor into memory
    /// that it keeps. A closed sandbox allows no further executable memory.
    static func allocateCode() {
        let dot = try? Picture.made(else: .output, "") { cvips_black(64, 64, $0) }
        if let dot {
            let image = dot.image
            _ = try? Picture.made(else: .output, "") { cvips_reduce(image, $0) }.width
        }
        vips_error_clear()
    }

    /// Makes the classes of the operations of most jobs, which libvips makes when it first needs
    /// them.
    static func makeClasses() {
        let formats = ImageFormat.all.flatMap { [$0.decoder?.operation, $0.encoder?.operation] }
        for operation in commonOperations + formats.compactMap(\.self) {
            cvips_make_class(operation)
        }
    }

    private static let commonOperations = [
        "thumbnail_source", "thumbnail_image", "resize", "shrinkh", "shrinkv", "reduceh", "reducev",
        "premultiply", "unpremultiply", "colourspace", "icc_import", "icc_export", "flatten",
        "cast",
        "copy", "extract_area", "extract_band", "bandjoin", "sequential", "linecache", "autorot",
    ]

    /// Releases the data that libvips keeps for a thread between two operations.
    static func tidyUp() {
        vips_error_clear()
        vips_thread_shutdown()
    }

    /// Allows only the loader of one class to open images, until the next call.
    static func allowOnly(_ decoder: ImageFormat.Decoder) {
        vips_operation_block_set("VipsForeignLoad", 1)
        vips_operation_block_set(decoder.className, 0)
    }

    /// Converts an error of libvips to a failure; this is the only place that does.
    ///
    /// A lack of memory is recognised by the message, because libvips always returns the same code.
    ///
    /// - Parameters:
    ///   - code: The code for all other errors.
    ///   - what: The failed operation, as a clause.
    ///   - message: The message of libvips; nil for the messages since the last call.
    /// - Returns: The failure, with libvips' own words in its reason.
    static func failure(
        _ code: JobResult.JobError.Code, _ what: String, _ message: String? = nil
    ) -> JobResult.JobError {
        let message = message ?? takeError()
        if let size = VipsMessage.refusedSize(in: message) {
            return JobResult.JobError(.tooManyPixels, "\(size) is too large to decode")
        }
        if VipsMessage.speaksOfMemory(message) {
            return JobResult.JobError(.outOfMemory, "the image needs more memory than is allowed")
        }
        let detail = VipsMessage.lastLine(of: message)
        return JobResult.JobError(code, detail.isEmpty ? what : "\(what) (\(detail))")
    }

    /// The messages since the last call.
    static func takeError() -> String {
        defer { vips_error_clear() }
        return String(cString: vips_error_buffer())
    }
}

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
        self.heifCodec.map { cvips_heif_has(function, $0) != 0 } ?? true
    }
}
