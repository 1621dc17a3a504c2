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

/// `path` with every byte percent-encoded that has a meaning of its own in a URL (RFC 3986), so that
/// the reference names the file and nothing else.
func urlPath(_ path: String) -> String {
    var encoded = ""
    for byte in path.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            encoded.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            if "-._~/:@!$&'()*+,;=".utf8.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (hex.count == 1 ? "0" + hex : hex)
            }
        }
    }
    return encoded
}
