import Recipes

/// An SVG that was checked for scripts and external references.
struct SVGDocument {
    /// The largest SVG that is read, in bytes.
    static let longest = 16 << 20

    /// The size in CSS pixels, if the SVG has one.
    let size: SVGSize?
    /// The size at which to draw it, if librsvg would choose another than browsers.
    let frame: SVGSize?
    /// The first part of the SVG that could run or load something, as in `the SVG has a <script>
    /// (line 2)`; nil if the SVG is safe as it is.
    let objection: String?
    /// What is removed from the SVG, as in `2 scripts, 1 event attribute`; nil if nothing is.
    let removals: String?
    /// The SVG without such parts and with all other bytes unchanged; nil if it is safe as it is.
    let sanitised: [UInt8]?

    /// - Throws: ``JobResult/Failure`` if it is not an SVG, or one that cannot be made safe.
    init(_ bytes: [UInt8]) throws(JobResult.Failure) {
        guard bytes.count <= Self.longest else {
            throw JobResult.Failure(.unsafe, "the SVG has more than \(Self.longest >> 20) MiB")
        }
        try Self.checkEncoding(of: bytes)
        let type = try SVGDocumentType(of: bytes, limit: Self.longest)
        let result = try SVGInspector.inspect(type.bytes)
        size = SVGSize(of: result.root)
        frame = SVGSize.frame(of: result.root)
        let first = result.findings.first.map { (what: $0.what, line: $0.line) }
        objection = (type.objection ?? first).map { Self.objection($0.what, $0.line) }
        removals = SVGRemovals(result.findings, hasDocumentType: type.objection != nil).text
        guard let finding = result.findings.first else {
            sanitised = objection == nil ? nil : type.bytes
            return
        }
        let failure = JobResult.Failure(
            .unsafe, Self.objection(finding.what, finding.line) + ", which cannot be removed")
        guard let clean = SVGSanitiser.cleaned(type.bytes, of: result.findings) else {
            throw failure
        }
        // The result is parsed again, to check that nothing unsafe is left.
        guard try SVGInspector.inspect(clean).findings.isEmpty else { throw failure }
        sanitised = clean
    }

    /// The objection to an SVG in a `data:` URL, or nil if it needs no change.
    static func objection(toEmbedded bytes: [UInt8]) -> String? {
        do throws(JobResult.Failure) {
            try checkEncoding(of: bytes)
            let type = try SVGDocumentType(of: bytes, limit: EmbeddedSVG.longest)
            let findings = try SVGInspector.inspect(type.bytes, isEmbedded: true).findings
            return type.objection?.what ?? findings.first?.what
        } catch {
            return "content that cannot be read"
        }
    }

    private static func objection(_ what: String, _ line: Int) -> String {
        "the SVG has \(what) (line \(line))"
    }

    /// Encodings in which every byte below 128 is the ASCII character.
    static let readableEncodings: Set<String> = [
        "ascii", "us-ascii", "utf-8", "utf8", "iso-8859-1", "iso-8859-15", "windows-1252",
    ]

    private static func checkEncoding(of bytes: [UInt8]) throws(JobResult.Failure) {
        if let place = bytes.firstIndex(of: 0) {
            throw JobResult.Failure(.unsafe, objection("a zero byte", bytes.line(of: place)))
        }
        let encoding = declaredEncoding(bytes)
        guard readableEncodings.contains(encoding) else {
            throw JobResult.Failure(.unsafe, "the SVG's encoding \(encoding) is not supported")
        }
    }

    /// The encoding from the XML declaration, in lower case.
    private static func declaredEncoding(_ bytes: [UInt8]) -> String {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard text.starts(with: "<?xml".utf8),
            let end = text.prefix(1024).firstIndex(of: UInt8(ascii: ">"))
        else { return "utf-8" }
        let declaration = String(decoding: text[..<end], as: UTF8.self)
        guard let key = declaration.firstRange(of: "encoding") else { return "utf-8" }
        return declaration[key.upperBound...]
            .drop { " \t\r\n=\"'".contains($0) }
            .prefix { !" \t\r\n\"'".contains($0) }
            .lowercased()
    }
}
