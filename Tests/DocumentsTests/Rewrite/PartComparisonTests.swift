import DocumentSyntax
import Testing

@testable import Documents

@Suite(.timeLimit(.minutes(10)))
struct PartComparisonTests {
    typealias Piece = Outline.Piece

    /// Texts for claims, which are written as they are given.
    private let claims = [
        " 2x", " 1x, b 2x", "\"><b>", "' src=x '", ">", "/", " />", "<!--", "image/png",
        "image/png x",
        "</script>", "&amp;", "", "\0", "text/html", " 2x\" width=\"3",
    ]

    /// An output that is not as the splices make it is verified only if the document differs in the
    /// way in which a value is written, and in nothing else.
    @Test(arguments: [DocumentKind.html, .css, .xml, .json, .markdown], 0..<20)
    func verifiesNothingButThePlannedValues(kind: DocumentKind, seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var generator = DocumentGenerator(kind: kind, seed: UInt64(seed + 1000))
        var verified = 0
        for _ in 0..<100 {
            let bytes = generator.document()
            let options = ExtractionOptions(readsLinks: seed % 4 == 1)
            let extraction = extract(bytes, kind: kind, options: options)
            let replacements = extraction.references.map { reference in
                var replacement = Replacement(
                    reference: reference, url: Bool.random(using: &random) ? "n" : "n.png",
                    size: seed % 3 == 0 ? Replacement.Size(width: 1, height: 2) : nil)
                for claim in reference.claims where Bool.random(using: &random) {
                    replacement.claims[claim.kind] = claims.randomElement(using: &random)
                }
                return replacement
            }
            let plan = try RewritePlan(
                extraction, replacements,
                dropping: seed % 2 == 0 ? [] : Set(extraction.controls.indices.prefix(2)),
                byteCount: bytes.count)
            let splices = plan.edits.splices
            guard let parts = plan.outline.parts, let planned = apply(splices, to: bytes),
                plan.firstDifference(in: parts, of: bytes, and: planned) == nil
            else { continue }
            if !replacements.isEmpty { verified += 1 }
            let places = [0] + splices.map(\.offset)
            for _ in 0..<7 {
                var output = planned
                change(&output, near: places, &random)
                guard plan.firstDifference(in: parts, of: bytes, and: output) == nil else {
                    continue
                }
                expectSame(planned, output, kind, options)
            }
        }
        // Few of the generated feeds have nothing but URLs and HTML; for Markdown, see
        // `PlainValueTests`.
        #expect(kind == .markdown || verified > (kind == .html || kind == .css ? 10 : 0))
    }

    private func expectSame(
        _ planned: [UInt8], _ output: [UInt8], _ kind: DocumentKind, _ options: ExtractionOptions
    ) {
        let (one, other) = [planned, output].map {
            (bytes: $0, found: extract($0, kind: kind, options: options))
        }.pair
        let text = String(decoding: output, as: UTF8.self).debugDescription
        #expect(one.found.references.map(\.url) == other.found.references.map(\.url), "\(text)")
        #expect(
            one.found.references.map { $0.claims.map(\.text) }
                == other.found.references.map { $0.claims.map(\.text) }, "\(text)")
        // HTML has several ways to write the quotation marks around a URL in CSS.
        #expect(
            kind == .html
                || rest(of: one.bytes, one.found) == rest(of: other.bytes, other.found), "\(text)")
        #expect(isSameTree(one.bytes, other.bytes, kind), "\(text)")
    }

    /// The text outside of URLs.
    private func rest(of bytes: [UInt8], _ found: Extraction) -> [UInt8] {
        let splices = found.references.map { Splice(range: $0.range, text: "") }
        return apply(splices, to: bytes) ?? []
    }

    /// Changes a byte near one of some places.
    private func change(
        _ output: inout [UInt8], near places: [Int], _ random: inout SeededGenerator
    ) {
        guard let place = places.randomElement(using: &random), !output.isEmpty else { return }
        let index = min(place + Int.random(in: 0..<12, using: &random), output.count - 1)
        let byte = Array("\"'<>=/ &;n,()\\]x\n-{".utf8).randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<3, using: &random) {
        case 0: output[index] = byte
        case 1: output.insert(byte, at: index)
        default: output.remove(at: index)
        }
    }

    @Test(
        arguments: [
            (DocumentKind.css, "a{b:url(c)} d{e:url( 'f' )} g{h:image-set(\"i\" 1x)}"),
            (
                .json,
                """
                {"version":"https://jsonfeed.org/version/1","items":[{"image":" a.png",\
                "content_html":"<p>a<img src=\\"b\\u002epng\\">"}]}
                """
            ),
            (
                .xml,
                """
                <rss><channel><item><enclosure url="a.png" type="image/png"/><description>&lt;img \
                src="b"&gt;</description><content:encoded><![CDATA[<img src=c>]]></content:encoded>\
                </item></channel></rss>
                """
            ),
        ])
    func readsOnlyChangedParts(kind: DocumentKind, text: String) throws {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: kind)
        #expect(extraction.references.count == (kind == .json ? 2 : 3))
        let replacements = extraction.references.map {
            Replacement(reference: $0, url: "n(&)'.png")
        }
        let plan = try RewritePlan(
            extraction, replacements, dropping: [], byteCount: bytes.count)
        let parts = try #require(plan.outline.parts)
        let output = try #require(apply(plan.edits.splices, to: bytes))
        #expect(plan.firstDifference(in: parts, of: bytes, and: output) == nil)
    }

    @Test(
        arguments: [
            (Piece(range: 0..<1), Piece(range: 0..<1), true),
            (Piece(range: 0..<1), Piece(range: 1..<2), false),
            (Piece(range: 0..<1), Piece(range: 2..<3), true),
            (Piece(range: 0..<1, url: "b"), Piece(range: 0..<1), false),
            (Piece(range: 0..<1), Piece(range: 0..<1, url: "b"), false),
            (Piece(range: 0..<1, url: "b"), Piece(range: 1..<2), true),
            (Piece(range: 0..<1, url: "b"), Piece(range: 2..<3, url: "b"), true),
        ])
    func piecesAreTheSameIfTheyNameTheSameURL(one: Piece, other: Piece, isSame: Bool) throws {
        let plan = try RewritePlan(extract([], kind: .html), [], dropping: [], byteCount: 0)
        #expect(plan.isSame(one, other, of: Array("aba".utf8)) == isSame)
    }
}

extension Array {
    fileprivate var pair: (Element, Element) { (self[0], self[1]) }
}
