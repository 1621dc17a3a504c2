import DocumentSyntax
import Documents
import Foundation
import Testing

/// The examples of the CommonMark specification, 0.31.2 (CC BY-SA 4.0, John MacFarlane).
private struct Example: CustomTestStringConvertible, Sendable {
    var number: Int
    var markdown: String
    var html: String

    var testDescription: String { "example \(number)" }

    static let all: [Example] = {
        guard
            let url = Bundle.module.url(
                forResource: "commonmark-spec", withExtension: "txt", subdirectory: "Resources"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        let fence = String(repeating: "`", count: 32)
        var result: [Example] = []
        var lines: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == fence + " example" {
                lines = []
            } else if line == fence, let example = lines {
                let parts = example.split(separator: ".", maxSplits: 1)
                func joined(_ part: ArraySlice<Substring>?) -> String {
                    (part ?? []).map { $0 + "\n" }.joined()
                        .replacingOccurrences(of: "→", with: "\t")
                }
                result.append(
                    Example(
                        number: result.count + 1, markdown: joined(parts.first),
                        html: joined(parts.dropFirst().first)))
                lines = nil
            } else {
                lines?.append(line)
            }
        }
        return result
    }()
}

@Suite(.timeLimit(.minutes(10)))
struct CommonMarkSpecTests {
    @Test func readsAllExamplesOfTheSpecification() {
        #expect(Example.all.count == 655)
    }

    /// The references are exactly the images of the specification's output.
    @Test(arguments: Example.all)
    fileprivate func locatesItsImages(example: Example) {
        let bytes = Array(example.markdown.utf8)
        let extraction = extract(bytes, kind: .markdown)
        #expect(extraction.problems == [])
        let expected = example.html.replacing("<responsive-image", with: "<img")
            .components(separatedBy: "<img src=\"").dropFirst()
            .compactMap { $0.components(separatedBy: "\"").first }.filter { !$0.isEmpty }
        let urls = extraction.references.map {
            $0.url.addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed) ?? ""
        }
        // cmark sees an image in the text of another image, but its output contains only the
        // alternative text.
        let inner = example.markdown.hasPrefix("![foo ![bar]") ? ["/url"] : []
        // Several images with one definition are one reference.
        #expect(Set(urls) == Set(expected + inner))
    }

    /// The same with every link turned into an image.
    @Test(arguments: Example.all)
    fileprivate func locatesItsLinksAsImages(example: Example) {
        let text = example.markdown.replacingOccurrences(of: "[", with: "![")
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .markdown)
        let problems = extraction.problems.filter { $0.reason != .notCommonMark }
        #expect(problems == [], "\(text)")
        let replacements = extraction.references.enumerated().map {
            Replacement(reference: $1, url: "img/\($0).webp")
        }
        do {
            let result = try rewrite(
                bytes, extraction: extraction, replacements: replacements)
            let urls = extract(result.bytes, kind: .markdown).references.map(\.url)
            #expect(Set(urls) == Set(replacements.map(\.url)))
        } catch {
            Issue.record("\(error)\n\(text)")
        }
    }
}
