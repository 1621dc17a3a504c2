/// The format that a user asks for.
package enum FormatChoice: String, CaseIterable, Sendable {
    /// WebP where that is smaller than the source, else the source or its own format.
    case auto
    case webp, avif, jpeg, png
    /// The source's own format, and its own bytes where nothing has to change.
    case keep
}
