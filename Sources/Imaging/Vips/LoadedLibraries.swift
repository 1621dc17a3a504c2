internal import CVips
import Glibc

/// The shared libraries of this process.
enum LoadedLibraries {
    /// The paths as the dynamic linker opened them.
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

    static func fileName(_ path: String) -> Substring {
        path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    }

    /// `path` with every symbolic link followed.
    static func realPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
