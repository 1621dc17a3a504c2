/// The result of replacing references in a document.
package struct Rewrite: Sendable, Hashable {
    /// The changes, grouped by what can be undone alone.
    package let edits: [Edit]
    /// The document after the changes.
    package let bytes: [UInt8]

    /// The changes in ascending order.
    package var splices: [Splice] { edits.splices }
}

/// Replaces references in a document and verifies that nothing else changes.
///
/// The output, or what has changed of it, is parsed again. Its tree must equal the input's tree
/// except for the replaced URLs and the requested sizes, claims and controls.
///
/// - Parameters:
///   - bytes: The document.
///   - extraction: The result of ``extract(_:kind:options:)`` for the same bytes.
///   - replacements: The replacements in any order, at most one for each reference. Without
///     replacements the bytes stay the same.
///   - controls: The indices in ``Extraction/controls`` of the controls to remove from the
///     document; a control that could not be located stays.
///   - links: References of ``Extraction/requests`` whose `<link>` is removed from an HTML document; in
///     another document they stay.
/// - Returns: The edits and the rewritten document.
/// - Throws: ``RewriteError``. The document must then be left unchanged.
package func rewrite(
    _ bytes: [UInt8], extraction: Extraction, replacements: [Replacement],
    dropping controls: Set<Int> = [], removing links: [Reference] = []
) throws(RewriteError) -> Rewrite {
    if replacements.isEmpty && controls.isEmpty { return Rewrite(edits: [], bytes: bytes) }
    let plan = try RewritePlan(
        extraction, replacements, dropping: controls, removing: links, byteCount: bytes.count)
    let edits = plan.edits
    guard let output = apply(edits.splices, to: bytes) else {
        throw RewriteError(
            code: .mismatchedInput, line: nil, detail: "the references overlap")
    }
    try plan.verify(output, of: bytes)
    return Rewrite(edits: edits, bytes: output)
}

/// The reason why a document was not rewritten.
package struct RewriteError: Error, Sendable, Hashable {
    /// The kind of failure.
    package enum Code: Sendable, Hashable {
        /// The replacements do not match the document and its extraction, two of them are for one
        /// reference, or one has an empty URL.
        case mismatchedInput
        /// The rewritten document, parsed again, differs from the input in more than the replaced
        /// URLs.
        case treeChanged
    }

    package let code: Code
    /// The first line of the block in which the output differs, counted from 1; nil if it is not
    /// known.
    package let line: Int?
    let detail: String
}

extension RewriteError: CustomStringConvertible {
    /// The failure and its line, in one clause.
    package var description: String {
        let place = line.map { " near line \($0)" } ?? ""
        return "the document was left unchanged\(place): \(detail)"
    }
}
