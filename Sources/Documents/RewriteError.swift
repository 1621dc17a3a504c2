/// Why a document was not rewritten.
package struct RewriteError: Error, Sendable, Hashable {
    /// The kind of failure.
    package enum Code: Sendable, Hashable {
        /// The replacements do not belong to this document and extraction, two of them belong to
        /// one reference, or one has no URL.
        case mismatchedInput
        /// The output, parsed again, was not the input but for the replaced URLs.
        case treeChanged
    }

    package let code: Code
    /// The first line of the block in which the output differs, counted from 1, if it is known.
    package let line: Int?
    let detail: String
}

extension RewriteError: CustomStringConvertible {
    /// What failed and where, in one clause.
    package var description: String {
        let place = line.map { " near line \($0)" } ?? ""
        return "the document was left as it was\(place): \(detail)"
    }
}
