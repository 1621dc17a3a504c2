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
