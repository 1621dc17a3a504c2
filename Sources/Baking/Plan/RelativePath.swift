/// The path that leads from `document` to `file`, both relative to one root with `/` between parts.
///
/// A part's own characters are kept; the caller escapes the result for where it is written. A path
/// whose first part could be read as a scheme gets `./` before it.
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
/// A slash before a combining mark is one character with it, yet parts
/// names all the same, so it is looked for among the bytes.
func pathParts(_ path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
}
