internal import CVips
import Glibc

/// The parts of libvips that stand in files of their own.
enum VipsModules {
    private static let heif = "vips-heif.so"

    /// The folder of the modules, if this libvips has AVIF in a module.
    ///
    /// It lies beside the library, named after the version, as in `vips-modules-8.14`.
    static let directory: String? = {
        guard let library = LoadedLibraries.path(ofFile: "libvips.so"),
            let slash = library.lastIndex(of: "/")
        else { return nil }
        let version = "\(vips_version(0)).\(vips_version(1))"
        let folder = "\(library[..<slash])/vips-modules-\(version)"
        return access("\(folder)/\(heif)", R_OK) == 0 ? folder : nil
    }()

    /// Adds the loader and saver of AVIF, without which AVIF is refused and all else works.
    static func loadHEIF(from directory: String) {
        g_module_open("\(directory)/\(heif)", G_MODULE_BIND_LAZY)
    }
}
