internal import CVips
import Glibc
import ImageFormats

/// The shared libraries that this process has loaded.
enum LoadedLibraries {
    /// The paths from which the dynamic linker opened them.
    static var paths: [String] {
        var paths: [String] = []
        while let path = cvips_library(Int32(paths.count)) {
            paths.append(String(cString: path))
        }
        return paths
    }

    /// The path of the library whose file name begins with `name`.
    static func path(ofFile name: String) -> String? {
        paths.first { fileName($0).hasPrefix(name) }
    }

    /// The names and versions of the libraries that decide the bytes of a variant, and their files.
    static var encoders: (name: String, libraries: [String]) {
        let prefixes = shared + ImageFormat.all.flatMap(\.libraries)
        let libraries = Set(paths)
            .filter { path in prefixes.contains { fileName(path).hasPrefix($0) } }
            .sorted()
        let names = Set(libraries.map { String(fileName(realPath($0))) }).sorted()
        let version = "vips \(String(cString: vips_version_string()))"
        return (([version] + names).joined(separator: " "), libraries)
    }

    /// The libraries that scale, convert and read EXIF for all formats.
    private static let shared = ["libexif", "libhwy", "liblcms2", "liborc-", "libvips"]

    private static func fileName(_ path: String) -> Substring {
        path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    }

    /// `path` with all symbolic links resolved.
    private static func realPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// The modules of libvips: in some builds, decoders are separate files.
enum VipsModules {
    private static let names = Set(ImageFormat.all.compactMap { $0.decoder?.module }).sorted()

    /// The folder of the modules; nil if this libvips has none.
    ///
    /// It is beside the library and named after the version, as in `vips-modules-8.14`.
    static let directory: String? = {
        guard let library = LoadedLibraries.path(ofFile: "libvips.so"),
            let slash = library.lastIndex(of: "/")
        else { return nil }
        let version = "\(vips_version(0)).\(vips_version(1))"
        let folder = "\(library[..<slash])/vips-modules-\(version)"
        return names.contains { access("\(folder)/\($0)", R_OK) == 0 } ? folder : nil
    }()

    /// Loads the decoders of the table; a format whose module is missing is rejected later.
    static func load(from directory: String) {
        for name in names { g_module_open("\(directory)/\(name)", G_MODULE_BIND_LAZY) }
    }

    /// Loads the codecs of libheif, which are separate files in some builds.
    static func loadCodecs() { cvips_load_heif_plugins() }
}

/// The fonts of this machine.
enum FontFiles {
    /// The distinct paths of at most 48 fonts.
    ///
    /// First come the fonts of the generic families in regular, bold and italic, then those that
    /// add characters of other scripts.
    static var paths: [String] {
        let files = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 48)
        files.initialize(repeating: nil)
        defer { files.deallocate() }
        guard let start = files.baseAddress else { return [] }
        let count = Int(cvips_font_files(start, Int32(files.count)))
        var seen: Set<String> = []
        return files.prefix(count).compactMap { file in
            guard let file else { return nil }
            defer { g_free(file) }
            let path = String(cString: file)
            return seen.insert(path).inserted ? path : nil
        }
    }
}
