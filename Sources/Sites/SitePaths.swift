import URLs

/// `path` with every byte percent-encoded that is special in a URL (RFC 3986), so that the
/// reference names exactly this file.
package func urlPath(_ path: String) -> String {
    percentEncoded(path) { !isUnreservedInURL($0) && !"/:@!$&'()*+,;=".utf8.contains($0) }
}

/// The path from `document` to `file`, both relative to one root with `/` between parts.
///
/// The characters of the parts are kept; the caller escapes the result for its place. A path whose
/// first part could be read as a scheme gets the prefix `./`.
package func relativePath(from document: String, to file: String) -> String {
    let folders = pathParts(document).dropLast()
    let parts = pathParts(file)
    let shared = zip(folders, parts.dropLast()).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    let ups = [Substring](repeating: "..", count: folders.count - shared)
    let path = (ups + parts[shared...]).joined(separator: "/")
    return path.prefix { $0 != "/" }.contains(":") ? "./" + path : path
}

/// The names between the slashes.
///
/// A slash followed by a combining mark is one `Character`, but it still separates parts. So
/// slashes are searched for in the bytes.
package func pathParts(_ path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
}

/// A folder of a project, without redundant slashes and dots; nil if it lies outside of the
/// project.
func projectFolder(_ text: String) -> String? {
    let path = plainPath(text)
    return text.hasPrefix("/") || isAt(path, "..") ? nil : path
}

/// A relative path without redundant slashes and dots; it begins with `..` if it leads out.
package func plainPath(_ text: String) -> String {
    var parts: [Substring] = []
    for part in pathParts(text) where part != "." {
        if part == "..", let last = parts.last, last != ".." {
            parts.removeLast()
        } else {
            parts.append(part)
        }
    }
    return parts.joined(separator: "/")
}

/// Whether a path lies in a folder; every path lies in "".
func isBelow(_ path: String, _ folder: String) -> Bool { rest(of: path, in: folder) != nil }

/// Whether a path is a folder or lies in it.
package func isAt(_ path: String, _ folder: String) -> Bool {
    path.utf8.elementsEqual(folder.utf8) || isBelow(path, folder)
}

/// The part of a path after a folder; nil if the path is not in it.
package func rest(of path: String, in folder: String) -> String? {
    if folder.isEmpty { return path }
    let prefix = folder + "/"
    guard path.utf8.starts(with: prefix.utf8) else { return nil }
    return String(Substring(path.utf8.dropFirst(prefix.utf8.count)))
}

/// Joins two parts of a path; either may be empty.
package func joined(_ folder: String, _ name: String) -> String {
    if folder.isEmpty { return name }
    return name.isEmpty ? folder : folder + "/" + name
}
