internal import CVips
import URLs

/// The pictures of an SVG that are SVG themselves, in a `data:` URL (RFC 2397).
///
/// Browsers run and load nothing in such a picture. It can stay if it would be safe on its own and
/// has no such picture itself.
struct EmbeddedSVG {
    /// The maximum number of bytes of one picture.
    static let longest = 256 << 10
    /// The maximum number of bytes of all pictures in a document.
    static let most = 1 << 20
    /// The beginning of each objection.
    static let phrase = "an embedded SVG"

    /// Whether the document is such a picture.
    let isInsideAnother: Bool
    private var total = 0

    init(isInsideAnother: Bool) { self.isInsideAnother = isInsideAnother }

    /// Whether an attribute is a picture in SVG; elements such as `<use>` would take its parts into
    /// the document.
    func takes(_ attribute: String, _ value: String, of element: String) -> Bool {
        attribute.localName == "href" && (element == "image" || element == "feimage")
            && Reference.spelling(value).hasPrefix("data:image/svg+xml")
    }

    /// The objection to the picture at `address`, or nil.
    mutating func objection(to address: String) -> String? {
        if isInsideAnother { return "\(Self.phrase) inside another" }
        // Each byte takes at most three characters.
        guard address.utf8.count <= 3 * Self.longest + 100 else {
            return "\(Self.phrase) of more than \(Self.longest >> 10) KiB"
        }
        guard let bytes = Self.content(of: address) else {
            return "\(Self.phrase) in an unknown encoding"
        }
        guard bytes.count <= Self.longest else {
            return "\(Self.phrase) of more than \(Self.longest >> 10) KiB"
        }
        total += bytes.count
        guard total <= Self.most else {
            return "\(Self.phrase), and more than \(Self.most >> 20) MiB of them"
        }
        return SVGDocument.objection(toEmbedded: bytes).map { "\(Self.phrase) with \($0)" }
    }

    /// The content of a `data:` URL as the Fetch standard reads it; nil if it is another type or in
    /// an encoding other than UTF-8.
    private static func content(of address: String) -> [UInt8]? {
        let stripped = address.utf8.drop { $0 <= 0x20 }
            .filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        // The rest is the fragment.
        let url = stripped.prefix { $0 != UInt8(ascii: "#") }
        guard let comma = url.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let words = String(decoding: url[..<comma], as: UTF8.self).lowercased()
            .split(separator: ";", omittingEmptySubsequences: false)
        let isBase64 = words.last == "base64"
        guard words.first == "data:image/svg+xml",
            words.dropFirst().dropLast(isBase64 ? 1 : 0)
                .allSatisfy({ ["charset=utf-8", "charset=utf8", "utf8", "utf-8"].contains($0) })
        else { return nil }
        let bytes = percentDecoded(url[(comma + 1)...])
        return isBase64 ? decoded(bytes) : bytes
    }

    /// The bytes from Base64; nil for any character that browsers refuse.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var text = text.filter { ![0x20, 0x0C].contains($0) }
        if text.count % 4 == 0 {
            for _ in 0..<2 where text.last == UInt8(ascii: "=") { text.removeLast() }
        }
        let alphabet: Set<UInt8> = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        guard text.count % 4 != 1, text.allSatisfy(alphabet.contains) else { return nil }
        text += [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4) + [0]
        var count: gsize = 0
        let memory = text.withUnsafeBytes { bytes in
            g_base64_decode(bytes.assumingMemoryBound(to: gchar.self).baseAddress, &count)
        }
        guard let memory else { return nil }
        defer { g_free(memory) }
        return Array(UnsafeBufferPointer(start: memory, count: Int(count)))
    }
}
