package import Documents

/// A file below the input folder.
package struct SiteFile: Hashable, Sendable {
    package enum Role: Hashable, Sendable {
        /// Read for references.
        case document(DocumentKind)
        /// Unchanged in place, and copied as it is to an output folder.
        case other
        /// A symbolic link: never followed, copied as a link.
        case link
    }

    /// The path relative to the input folder, with `/` between its parts.
    package var path: String
    package var role: Role

    package var isDocument: Bool { if case .document = role { true } else { false } }
}
