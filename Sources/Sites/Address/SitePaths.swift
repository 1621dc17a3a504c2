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
