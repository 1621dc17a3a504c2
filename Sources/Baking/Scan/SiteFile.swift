package import Documents

/// One file below the folder that is baked.
package struct SiteFile: Hashable, Sendable {
    package enum Role: Hashable, Sendable {
        /// Read for references.
        case document(DocumentKind)
        /// Left alone in place, copied as it is to an output folder.
        case other
        /// A symbolic link; never followed, copied as a link.
        case link
    }

    /// The path relative to the input folder, with `/` between its parts.
    package var path: String
    package var role: Role

    var isDocument: Bool { if case .document = role { true } else { false } }
}
