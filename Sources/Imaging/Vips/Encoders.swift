internal import CVips

/// The libraries that decide what an encoded image looks like.
enum Encoders {
    /// The names and versions of the encoders, and the files that they were read from.
    static var names: (name: String, libraries: [String]) {
        let libraries = Set(LoadedLibraries.paths.map(LoadedLibraries.realPath))
            .filter { isDecisive(LoadedLibraries.fileName($0)) }
            .sorted()
        let names = libraries.map { String(LoadedLibraries.fileName($0)) }.sorted()
        let version = "vips \(String(cString: vips_version_string()))"
        return (([version] + names).joined(separator: " "), libraries)
    }

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

    /// Some builds of libheif have their codecs in files of their own.
    static func loadPlugins() {
        cvips_load_heif_plugins()
    }
}
