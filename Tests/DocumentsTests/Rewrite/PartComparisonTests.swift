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

    /// What is verified by the changed parts alone is also verified by reading the whole document,
    /// also if the output is not as the splices make it.
    @Test(arguments: [DocumentKind.html, .css, .xml, .json, .markdown], 0..<20)
    func verifiesNothingThatTheWholeDocumentRefutes(kind: DocumentKind, seed: Int) throws {
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
            guard let output = apply(splices, to: bytes) else { continue }
            let places = [0] + splices.map(\.offset)
            for round in 0..<8 {
                var output = output
                if round > 0 { change(&output, near: places, &random) }
                let isVerified = try expectSame(plan, bytes, output, kind, options)
                if isVerified, round == 0, !replacements.isEmpty { verified += 1 }
            }
        }
        // Few of the generated feeds have nothing but URLs and HTML; for Markdown, see
        // `PlainValueTests`.
        #expect(kind == .markdown || verified > (kind == .html || kind == .css ? 10 : 0))
    }

    private func expectSame(
        _ plan: RewritePlan, _ bytes: [UInt8], _ output: [UInt8], _ kind: DocumentKind,
        _ options: ExtractionOptions
    ) throws -> Bool {
        guard let parts = plan.outline.parts, plan.changesOnly(parts, of: bytes, in: output) else {
            return false
        }
        let before = outline(of: bytes, kind: kind, options: options)
        let after = outline(of: output, kind: kind, options: options)
        let slots = plan.slots(in: before.slots.indices)
        let text = String(decoding: output, as: UTF8.self).debugDescription
        #expect(before.blocks.map { $0.hash } == after.blocks.map { $0.hash }, "\(text)")
        #expect(slots.count == after.slots.count, "\(text)")
        #expect(zip(slots, after.slots).allSatisfy { plan.isSame($0, $1) }, "\(text)")
        return true
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
        #expect(plan.changesOnly(parts, of: bytes, in: output))
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
