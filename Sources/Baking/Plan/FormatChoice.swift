/// The format that a user asks for.
package enum FormatChoice: String, CaseIterable, Codable, Sendable {
    /// WebP where that is smaller than the source, else the source or its own format.
    case auto
    case webp, avif, jpeg, png
    /// The source's own format, and its own bytes where nothing has to change.
    case keep
}

/// How to treat SVGs, which can run scripts and load other files.
package enum SVGChoice: String, CaseIterable, Codable, Sendable {
    /// Take out whatever could run or load something, and leave all else byte for byte.
    case sanitise
    /// Bake no SVG that could run or load something.
    case refuse
    /// Draw every SVG: WebP or PNG, whichever is smaller, without loss.
    case rasterise
}
