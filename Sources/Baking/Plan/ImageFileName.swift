package import ImageFormats
import Secrets
import URLs

/// Names the file of a variant: `NAME-HASH.EXT`.
///
/// NAME is the last part of the URL's path without its extension, in lower case, with anything but
/// ASCII letters and digits replaced by single hyphens, at most 48 bytes long; `image` if nothing
/// is left, or if it is a secret. HASH is the first 16 hex digits of the file's SHA-256.
package func imageFileName(url: String, digest: String, format: ImageFormat) -> String {
    let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let authority = path.firstRange(of: "://".utf8).map { path[$0.upperBound...] } ?? path
    let last = authority.split(separator: UInt8(ascii: "/")).dropFirst().last ?? []
    let stem = last.lastIndex(of: UInt8(ascii: ".")).map { last[..<$0] } ?? last
    let name = isKeyOfService(stem) ? "" : slug(percentDecoded(stem))
    return "\(name.isEmpty ? "image" : name)-\(digest.prefix(16)).\(format.fileExtension)"
}

private func slug(_ bytes: [UInt8]) -> String {
    var slug: [UInt8] = []
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            slug.append(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            slug.append(byte | 0x20)
        default:
            if let last = slug.last, last != UInt8(ascii: "-") { slug.append(UInt8(ascii: "-")) }
        }
        if slug.count == 48 { break }
    }
    while slug.last == UInt8(ascii: "-") { slug.removeLast() }
    return String(decoding: slug, as: UTF8.self)
}
