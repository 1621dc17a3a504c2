import FetchCache
internal import Glibc
package import ImageFormats
import Secrets
import URLs

/// Names the file of a variant: `NAME-HASH.EXT`.
///
/// NAME is the last part of the URL's path without its extension, in lower case, with anything but
/// ASCII letters and digits replaced by single hyphens, at most 48 bytes long; `image` if nothing
/// is left, or if it is a secret. HASH is the first 16 hex digits of the file's SHA-256.
package func imageFileName(url: String, digest: String, format: ImageFormat) -> String {
    imageFileName(stem: imageFileStem(ofURL: url), digest: digest, format: format)
}

/// NAME of the files of an image.
package func imageFileStem(ofURL url: String) -> String {
    let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let authority = path.range(ofText: "://").map { path[$0.upperBound...] } ?? path
    let last = authority.split(separator: UInt8(ascii: "/")).dropFirst().last ?? []
    let stem = last.lastIndex(of: UInt8(ascii: ".")).map { last[..<$0] } ?? last
    let name = isKeyOfService(stem) ? "" : slug(percentDecoded(stem))
    return name.isEmpty ? "image" : name
}

/// The file name of a variant whose NAME is known.
package func imageFileName(stem: String, digest: String, format: ImageFormat) -> String {
    "\(stem)-\(digest.prefix(16)).\(format.fileExtension)"
}

/// NAME of the file name of a variant in this format.
package func imageFileStem(of name: String, _ format: ImageFormat) -> String {
    String(name.dropLast(17 + format.fileExtension.utf8.count + 1))
}

private func slug(_ bytes: [UInt8]) -> String {
    let words = bytes.split { byte in
        !(0x30...0x39).contains(byte) && !(0x61...0x7A).contains(byte | 0x20)
    }
    let slug = words.joined(separator: "-".utf8).prefix(48)
    let text = String(decoding: Array(slug), as: UTF8.self).lowercased()
    return text.hasSuffix("-") ? String(text.dropLast()) : text
}

/// The hash in the name of a baked image, `NAME-HASH.EXT`, as a number.
package typealias ImageHash = UInt64

/// The hashes of all texts that look like names of baked images.
package func imageHashes(in bytes: some Collection<UInt8>) -> Set<ImageHash> {
    var hashes: Set<ImageHash> = []
    forEachImageHash(in: bytes) { hash, _ in hashes.insert(hash) }
    return hashes
}

/// A text that looks like the name of a baked image.
package struct ImageNameInText {
    package var hash: ImageHash
    /// The offsets of the whole name.
    package var range: Range<Int>
}

/// All texts that look like names of baked images.
package func imageNames(in bytes: [UInt8]) -> [ImageNameInText] {
    var names: [ImageNameInText] = []
    forEachImageHash(in: bytes) { hash, place in
        let before = bytes[..<place].reversed().prefix { isOfName($0) && $0 != 0x2E }
        let after = bytes[(place + hashLength + 1)...].prefix {
            isOfName($0) && $0 != 0x2D && $0 != 0x2E
        }
        names.append(ImageNameInText(hash: hash, range: (place - before.count)..<after.endIndex))
    }
    return names
}

private func forEachImageHash(
    in bytes: some Collection<UInt8>, _ use: (_ hash: ImageHash, _ place: Int) -> Void
) {
    let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { bytes in
        guard let base = bytes.baseAddress else { return }
        var place = 0
        while place + hashLength < bytes.count,
            let hyphen = memchr(base + place, 0x2D, bytes.count - place - hashLength)
        {
            place = UnsafeRawPointer(hyphen) - UnsafeRawPointer(base) + 1
            guard place + hashLength < bytes.count, bytes[place + hashLength] == UInt8(ascii: ".")
            else { continue }
            if let hash = imageHash(of: UnsafeBufferPointer(rebasing: bytes[place...])) {
                use(hash, place)
            }
        }
    }
    if isContiguous == nil { forEachImageHash(in: Array(bytes), use) }
}

/// The hash at the beginning of a text; nil if it has none.
private func imageHash(of text: UnsafeBufferPointer<UInt8>) -> ImageHash? {
    var value: ImageHash = 0
    for index in 0..<hashLength {
        guard let digit = hexDigit(text[index]) else { return nil }
        value = value << 4 | ImageHash(digit)
    }
    return value
}

/// The number of digits of an ``ImageHash``.
private let hashLength = 16

package func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
}

/// The hash in a file's name; nil if it is not that of a baked image.
package func imageHash(of name: String) -> ImageHash? {
    var hashes: [ImageHash] = []
    forEachImageHash(in: name.utf8) { hash, _ in hashes.append(hash) }
    let isOne = hashes.allSatisfy { $0 == hashes.first }
    return isOne && name.utf8.allSatisfy(isOfName) ? hashes.first : nil
}

/// Whether a byte may be in a name that a bake gives.
private func isOfName(_ byte: UInt8) -> Bool {
    hexDigit(byte) != nil || (0x67...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
}

/// Whether a name is one that a bake gives to a file in this format.
package func isBakedName(_ name: String, _ format: ImageFormat) -> Bool {
    let hash = name.utf8.dropLast(format.fileExtension.utf8.count + 1).suffix(17)
    return format.isShownByBrowsers && name.hasSuffix("." + format.fileExtension)
        && hash.count == 17 && hash.first == UInt8(ascii: "-")
        && hash.dropFirst().allSatisfy { hexDigit($0) != nil }
        && !name.utf8.contains(UInt8(ascii: "/"))
}

extension BlobDigest {
    /// The hash in the name of a baked image with this digest.
    package var imageHash: ImageHash {
        hex.utf8.prefix(16).reduce(0) { $0 << 4 | ImageHash(hexDigit($1) ?? 0) }
    }
}

/// Whether the bytes of a file have the hash in its name, as those of each baked image have.
///
/// A file that cannot be read is none.
package func isBakedImage(_ path: String) -> Bool {
    guard let name = path.split(separator: "/").last, let hash = imageHash(of: String(name)) else {
        return false
    }
    return (try? BlobDigest.ofFile(path))?.digest.imageHash == hash
}

/// The name of the baked image that a URL leads to; nil if it leads to something else.
package func bakedFileName(in url: String) -> String? {
    let text = ReferenceText(url).text.prefix { $0 != "?" }
    guard let last = text.utf8.split(separator: UInt8(ascii: "/")).last,
        let name = String(validating: percentDecoded(last), as: UTF8.self),
        imageHash(of: name) != nil
    else { return nil }
    return name
}

/// The digits of the hash in the name of a baked image, for ``FetchManager/useVariant(of:named:)``.
package func hashDigits(of fileName: String, _ format: ImageFormat) -> String {
    String(fileName.dropLast(format.fileExtension.utf8.count + 1).suffix(16))
}
