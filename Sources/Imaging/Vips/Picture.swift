internal import CVips
import Recipes

/// An image of libvips, with a single owner.
///
/// Most images are lazy: pixels are computed, and damage is detected, only when they are used.
struct Picture: ~Copyable {
    let image: UnsafeMutablePointer<VipsImage>

    init(owning image: UnsafeMutablePointer<VipsImage>) { self.image = image }

    deinit { cvips_unref_image(image) }

    var width: Int { Int(vips_image_get_width(image)) }
    var frameHeight: Int { Int(vips_image_get_page_height(image)) }
    var frameCount: Int { max(1, Int(vips_image_get_n_pages(image))) }
    var hasAlpha: Bool { vips_image_hasalpha(image) != 0 }
    /// From 1 to 8, as in EXIF.
    var orientation: Int { Int(vips_image_get_orientation(image)) }
    var hasProfile: Bool { has(VIPS_META_ICC_NAME) }
    var isCMYK: Bool { vips_image_get_interpretation(image) == VIPS_INTERPRETATION_CMYK }

    /// Whether each pixel has one sample, or one and alpha.
    var isGrey: Bool {
        let space = vips_image_get_interpretation(image)
        return space == VIPS_INTERPRETATION_B_W || space == VIPS_INTERPRETATION_GREY16
    }

    /// The embedded colour profile, unless browsers ignore it.
    var profile: ColourProfile? {
        blob(VIPS_META_ICC_NAME).flatMap { ColourProfile($0) }
    }

    /// Whether the samples are 8-bit sRGB or grey.
    var isEightBitStandard: Bool {
        let space = vips_image_get_interpretation(image)
        return vips_image_get_format(image) == VIPS_FORMAT_UCHAR
            && (space == VIPS_INTERPRETATION_sRGB || space == VIPS_INTERPRETATION_B_W)
    }

    func has(_ field: String) -> Bool { vips_image_get_typeof(image, field) != 0 }

    func string(_ field: String) -> String? {
        var text: UnsafePointer<CChar>?
        guard has(field), vips_image_get_string(image, field, &text) == 0 else { return nil }
        return text.map { String(cString: $0) }
    }

    /// The names of all metadata fields.
    var fields: [String] {
        guard let names = vips_image_get_fields(image) else { return [] }
        defer { g_strfreev(names) }
        var all: [String] = []
        var next = names
        while let name = next.pointee {
            all.append(String(cString: name))
            next += 1
        }
        return all
    }

    /// The same image with every pixel computed, and without metadata except the timing of an
    /// animation.
    consuming func computed(isAnimated: Bool) throws(JobResult.JobError) -> Picture {
        guard let memory = vips_image_copy_memory(image) else {
            throw Vips.failure(.corrupt, "the image is damaged or cut short")
        }
        let picture = Picture(owning: memory)
        // The savers of some versions write EXIF even with the option to strip it.
        for field in picture.fields where !isAnimated || !Self.timing.contains(field) {
            vips_image_remove(memory, field)
        }
        return picture
    }

    private static let timing: Set<String> = [
        "background", "delay", "gif-delay", "gif-loop", "loop", "n-pages", "page-height",
    ]

    init(_ samples: PNGSamples) throws(JobResult.JobError) {
        let isDeep: Int32 = samples.bits == 16 ? 1 : 0
        let image = cvips_canvas(
            Int32(samples.width), Int32(samples.height), Int32(samples.channels), isDeep)
        guard let image, let start = vips_image_get_data(image) else {
            throw Vips.failure(.outOfMemory, "the image does not fit in memory")
        }
        UnsafeMutableRawPointer(mutating: start).copyMemory(
            from: samples.bytes, byteCount: samples.bytes.count)
        self.init(owning: image)
    }

    /// The pixels in 8-bit RGB with alpha.
    func pixels() throws(JobResult.JobError) -> [UInt8] {
        let image = image
        return try Picture.made(else: .corrupt, "the image is damaged or cut short") {
            cvips_rgba(image, $0)
        }.bytes()
    }

    /// Computes the samples of all bands, row by row.
    func bytes() throws(JobResult.JobError) -> [UInt8] {
        var count = 0
        guard let memory = vips_image_write_to_memory(image, &count) else {
            throw Vips.failure(.corrupt, "the image is damaged or cut short")
        }
        defer { g_free(memory) }
        return Array(UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// The content of a metadata field that holds bytes.
    func blob(_ field: String) -> [UInt8]? {
        var start: UnsafeRawPointer?
        var count = 0
        guard has(field), vips_image_get_blob(image, field, &start, &count) == 0, let start else {
            return nil
        }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The XMP packet.
    ///
    /// libvips 8.14 knows that of a HEIF only if it begins with its root element. Another one is in
    /// a field with a number.
    var packet: [UInt8]? {
        if let packet = blob(VIPS_META_XMP_NAME) { return packet }
        for field in fields where field.hasPrefix(Self.unknownItem) {
            if let item = blob(field), item.starts(with: "<?xpacket".utf8) { return item }
        }
        return nil
    }

    /// The beginning of the names of fields with items of a HEIF.
    static let unknownItem = "heif-mime-"

    /// Sets a metadata field that holds bytes, if there are any.
    func set(_ field: String, _ bytes: [UInt8]?) {
        if let bytes { vips_image_set_blob_copy(image, field, bytes, bytes.count) }
    }

    /// The image that `make` returns; it follows the convention of libvips: 0 and an image, or an
    /// error.
    static func made(
        else failure: JobResult.JobError.Code, _ what: String,
        by make: (UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
    ) throws(JobResult.JobError) -> Picture {
        var image: UnsafeMutablePointer<VipsImage>?
        guard make(&image) == 0, let image else { throw Vips.failure(failure, what) }
        return Picture(owning: image)
    }
}
