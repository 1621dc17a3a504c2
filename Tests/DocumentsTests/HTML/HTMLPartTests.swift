import Testing

@testable import Documents

@Suite(.timeLimit(.minutes(10)))
struct HTMLPartTests {
    /// Texts for claims, which are written as they are given.
    private let claims = [
        " 2x", " 1x, b 2x", "\"><b>", "' src=x '", ">", "/", " />", "<!--", "image/png",
        "image/png x",
        "</script>", "&amp;", "", "\0", "text/html", " 2x\" width=\"3",
    ]

    /// What is verified by the changed tags alone is also verified by reading the whole page.
    @Test(arguments: 0..<20)
    func verifiesNothingThatTheWholePageRefutes(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var generator = DocumentGenerator(kind: .html, seed: UInt64(seed + 1000))
        var verified = 0
        for _ in 0..<100 {
            let bytes = generator.document()
            let options = ExtractionOptions(readsLinks: seed % 4 == 1)
            let extraction = extract(bytes, kind: .html, options: options)
            let replacements = extraction.references.map { reference in
                var replacement = Replacement(
                    reference: reference, url: "n",
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
            guard let parts = plan.expected.parts, let output = apply(splices, to: bytes) else {
                continue
            }
            let isVerified = output.withUnsafeBufferPointer {
                plan.changesOnly(parts, $0, splices)
            }
            guard isVerified else { continue }
            verified += 1
            let before = outline(of: bytes, kind: .html, options: options)
            let after = outline(of: output, kind: .html, options: options)
            let slots = plan.slots(in: before.slots.indices)
            let text = String(decoding: output, as: UTF8.self).debugDescription
            #expect(before.blocks.map { $0.hash } == after.blocks.map { $0.hash }, "\(text)")
            #expect(slots.count == after.slots.count, "\(text)")
            #expect(zip(slots, after.slots).allSatisfy(plan.isSame), "\(text)")
        }
        #expect(verified > 20)
    }

    @Test func readsOnlyChangedTags() throws {
        // The second image is in a comment if the text between the two is read otherwise.
        let bytes = Array("<img src=a><p title='<!--'><img src=b><style>a{b:url(c)}</style>".utf8)
        let extraction = extract(bytes, kind: .html)
        let replacements = extraction.references.map { Replacement(reference: $0, url: "n") }
        let plan = try RewritePlan(
            extraction, replacements, dropping: [], byteCount: bytes.count)
        let parts = try #require(plan.expected.parts)
        #expect(parts.count == 3)
        let splices = plan.edits.splices
        let output = try #require(apply(splices, to: bytes))
        #expect(output.withUnsafeBufferPointer { plan.changesOnly(parts, $0, splices) })
    }

    @Test(arguments: ["<b style='a:url(c)'>", "<input type=image src=c>", "<body background=c>"])
    func readsPagesWhereTheTreeDependsOnTheTagAsAWhole(text: String) throws {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .html)
        #expect(extraction.references.count == 1)
        #expect(extraction.outline.parts?.isEmpty == true)
        let replacements = extraction.references.map { Replacement(reference: $0, url: "n") }
        let result = try rewrite(bytes, extraction: extraction, replacements: replacements)
        #expect(result.splices.count == 1)
    }
}
