/// A document in which references were replaced.
package struct Rewrite: Sendable, Hashable {
    /// What was changed, in ascending order.
    package let splices: [Splice]
    /// The document with the splices made.
    package let bytes: [UInt8]
}

/// Replaces references in a document, and makes sure that nothing else changes.
///
/// The output is parsed again; its tree must be the input's but for the replaced URLs, and the sizes
/// and controls that were asked for.
///
/// - Parameters:
///   - bytes: The document.
///   - extraction: What ``extract(_:kind:)`` found in the same bytes.
///   - replacements: In any order, at most one a reference. None gives the same bytes.
///   - controls: Which of ``Extraction/controls`` to take out of the document; one that could not be
///     located stays.
/// - Returns: The splices, and the document in which they are made.
/// - Throws: ``RewriteError``, and then nothing of the document should be changed.
package func rewrite(
    _ bytes: [UInt8], extraction: Extraction, replacements: [Replacement],
    dropping controls: Set<Int> = []
) throws(RewriteError) -> Rewrite {
    if replacements.isEmpty && controls.isEmpty { return Rewrite(splices: [], bytes: bytes) }
    let plan = try RewritePlan(
        extraction, replacements, dropping: controls, byteCount: bytes.count)
    guard let output = apply(plan.splices, to: bytes) else {
        throw RewriteError(
            code: .mismatchedInput, line: nil, detail: "the references overlap one another")
    }
    try plan.verify(output)
    return Rewrite(splices: plan.splices, bytes: output)
}
