import DocumentSyntax
import Documents

/// The result of replacing all references of a document.
enum RewriteVerdict: Equatable {
    case whole
    /// The document was left unchanged.
    case refused
    /// A property that every document must have is violated.
    case broken(String)
}

/// Checks the properties that every document must have, however malformed.
func verdict(
    on bytes: [UInt8], _ kind: DocumentKind, _ options: ExtractionOptions = ExtractionOptions()
) -> RewriteVerdict {
    let extraction = extract(bytes, kind: kind, options: options)
    if !isInOrder(extraction, bytes) { return .broken("references out of order") }
    if !extraction.references.isEmpty, !mayNameImages(bytes, kind: kind, options: options) {
        return .broken("turned away though it names images")
    }
    guard (try? rewrite(bytes, extraction: extraction, replacements: []))?.bytes == bytes else {
        return .broken("replacing nothing changes it")
    }
    // Data has only full URLs.
    let start = options.readsData ? "https://n/" : "n/"
    let names = extraction.references.indices.map { "\(start)\($0).webp" }
    // The comparison of trees does not support replaced links.
    let isComparable = !options.readsLinks
    guard let result = replaceAll(bytes, extraction, names) else { return .refused }
    if apply(result.splices, to: bytes) != result.bytes { return .broken("splices differ") }
    return verdict(on: result.bytes, kind, options, names: names, before: extraction)
        ?? (!isComparable || isSameTree(bytes, result.bytes, kind)
            ? .whole : .broken("another tree"))
}

/// The violated property of a rewritten document; nil if there is none.
private func verdict(
    on bytes: [UInt8], _ kind: DocumentKind, _ options: ExtractionOptions, names: [String],
    before: Extraction
) -> RewriteVerdict? {
    let after = extract(bytes, kind: kind, options: options)
    let urls = Set(after.references.map(\.url))
    // References that were refused before may be found now.
    let hasAll =
        before.problems.isEmpty ? urls == Set(names) : urls.isSuperset(of: names)
    if !hasAll { return .broken("reads otherwise: \(urls)") }
    if after.problems.count > before.problems.count { return .broken("more is refused") }
    let replaced = after.references.filter { names.contains($0.url) }
    let again = try? rewrite(
        bytes, extraction: after,
        replacements: replaced.map { Replacement(reference: $0, url: $0.url) })
    return again?.bytes == bytes ? nil : .broken("replacing by the same changes it")
}

private func replaceAll(
    _ bytes: [UInt8], _ extraction: Extraction, _ names: [String]
) -> Rewrite? {
    let replacements = zip(extraction.references, names).map { Replacement(reference: $0, url: $1) }
    return try? rewrite(bytes, extraction: extraction, replacements: replacements)
}

private func isInOrder(_ extraction: Extraction, _ bytes: [UInt8]) -> Bool {
    var end = 0
    for reference in extraction.references {
        guard reference.range.lowerBound >= end, reference.range.upperBound <= bytes.count,
            !reference.range.isEmpty
        else { return false }
        end = reference.range.upperBound
    }
    return extraction.problems.allSatisfy { $0.offset >= 0 && $0.offset <= bytes.count }
}
