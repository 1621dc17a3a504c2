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

    /// The objection to a picture, or nil.
    mutating func objection(to bytes: [UInt8]) -> String? {
        if isInsideAnother { return "\(Self.phrase) inside another" }
        guard bytes.count <= Self.longest else {
            return "\(Self.phrase) of more than \(Self.longest >> 10) KiB"
        }
        total += bytes.count
        guard total <= Self.most else {
            return "\(Self.phrase), and more than \(Self.most >> 20) MiB of them"
        }
        return SVGJudge.objection(to: bytes, isInsideAnother: true).map {
            "\(Self.phrase) with \($0.what)"
        }
    }
}
