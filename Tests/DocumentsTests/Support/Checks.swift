import Documents
import Testing

/// Checks that the references of a text are the marked ranges, that each can be replaced without
/// changing any other byte, and that replacing them again by the same URLs changes nothing.
///
/// `urls` holds the decoded URLs if they differ from the written ones.
func expectReferences(
    _ text: String, _ kind: DocumentKind, urls: [String]? = nil,
    options: ExtractionOptions = ExtractionOptions(),
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let marked = Marked(text)
    let extraction = extract(marked.bytes, kind: kind, options: options)
    #expect(extraction.problems == [], sourceLocation: sourceLocation)
    #expect(
        extraction.references.map { marked.text(at: $0.range) } == marked.marks,
        sourceLocation: sourceLocation)
    #expect(extraction.references.map(\.range) == marked.ranges, sourceLocation: sourceLocation)
    #expect(
        extraction.references.map(\.url) == urls ?? marked.marks, sourceLocation: sourceLocation)
    let names = marked.ranges.indices.map { "img/\($0).webp" }
    let output = replaceAll(marked.text, kind, with: names, options: options)
    #expect(output == marked.replacing(names), sourceLocation: sourceLocation)
    let again = extract(Array(output.utf8), kind: kind, options: options).references.map(\.url)
    #expect(
        replaceAll(output, kind, with: again, options: options) == output,
        sourceLocation: sourceLocation)
}

extension Marked {
    func text(at range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

/// The text with all references replaced, in order; an error's description if that fails.
func replaceAll(
    _ text: String, _ kind: DocumentKind, with names: [String], size: Replacement.Size? = nil,
    options: ExtractionOptions = ExtractionOptions()
) -> String {
    let bytes = Array(text.utf8)
    let extraction = extract(bytes, kind: kind, options: options)
    let replacements = zip(extraction.references, names).map {
        Replacement(reference: $0, url: $1, size: size)
    }
    do {
        let result = try rewrite(bytes, extraction: extraction, replacements: replacements)
        return String(decoding: result.bytes, as: UTF8.self)
    } catch {
        return "\(error)"
    }
}
