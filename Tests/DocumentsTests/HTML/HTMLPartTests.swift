import Testing

@testable import Documents

@Suite(.timeLimit(.minutes(10)))
struct HTMLPartTests {
    @Test func readsOnlyChangedTags() throws {
        // The second image is in a comment if the text between the two is read otherwise.
        let bytes = Array("<img src=a><p title='<!--'><img src=b><style>a{b:url(c)}</style>".utf8)
        let extraction = extract(bytes, kind: .html)
        let replacements = extraction.references.map { Replacement(reference: $0, url: "n") }
        let plan = try RewritePlan(
            extraction, replacements, dropping: [], byteCount: bytes.count)
        let parts = try #require(plan.outline.parts)
        #expect(parts.count == 3)
        let output = try #require(apply(plan.edits.splices, to: bytes))
        #expect(plan.changesOnly(parts, of: bytes, in: output))
    }

    @Test(arguments: ["<b style='a:url(c)'>", "<input type=image src=c>", "<body background=c>"])
    func readsPagesWhereTheTreeDependsOnTheTagAsAWhole(text: String) throws {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .html)
        #expect(extraction.references.count == 1)
        #expect(extraction.outline.parts?.count == 0)
        let replacements = extraction.references.map { Replacement(reference: $0, url: "n") }
        let result = try rewrite(bytes, extraction: extraction, replacements: replacements)
        #expect(result.splices.count == 1)
    }
}

extension Outline.Parts {
    var count: Int {
        switch self {
        case .html(let parts): parts.count
        case .css(let tokens): tokens.count
        case .texts(let texts): texts.count
        }
    }
}
