internal import CVips
import Recipes

/// The libraries that decide what an encoded image looks like.
enum Encoders {
    static let hello: Hello = {
        loadPlugins()
        let libraries = Set(LoadedLibraries.paths.map(LoadedLibraries.realPath))
            .filter { isDecisive(LoadedLibraries.fileName($0)) }
            .sorted()
        let names = libraries.map { String(LoadedLibraries.fileName($0)) }.sorted()
        let version = "vips \(String(cString: vips_version_string()))"
        return Hello(encoder: ([version] + names).joined(separator: " "), libraries: libraries)
    }()

    /// What decodes, scales, converts or encodes; by the beginning of the file's name.
    private static let prefixes = [
        "libSvtAv1", "libaom", "libcairo.", "libcgif", "libdav1d", "libexif", "libheif",
        "libhwy", "libimagequant", "libjpeg", "liblcms2", "liborc-", "libpng", "libquantizr",
        "librav1e", "librsvg", "libsharpyuv", "libspng", "libvips", "libwebp", "libz.", "libz-ng",
        "vips-heif",
    ]

    private static func isDecisive(_ fileName: Substring) -> Bool {
        prefixes.contains { fileName.hasPrefix($0) }
    }

    /// Some builds of libheif load their codecs only when the first image wants them.
    private static func loadPlugins() {
        let codecs = ["libaom", "libSvtAv1", "librav1e"]
        guard !codecs.contains(where: { LoadedLibraries.path(ofFile: $0) != nil }) else { return }
        do throws(Answer.Failure) {
            let dot = try Picture.made(else: .output, "") { cvips_black(16, 16, $0) }
            _ = try EncodedImage(of: dot, as: Recipe.Encoding(format: .avif, quality: 50)).count
        } catch {
            // No encoder of AVIF: the jobs that want one will say so.
            vips_error_clear()
        }
    }
}
