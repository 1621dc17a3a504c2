/// The requested format.
package enum FormatChoice: String, CaseIterable, Codable, Sendable {
    /// WebP if it is smaller than the source; otherwise the source's bytes or its own format.
    case auto
    case webp, avif, jpeg, png
    /// The source's own format, and its own bytes if nothing has to change.
    case keep
}

/// How to treat SVGs, which can run scripts and load other files.
package enum SVGChoice: String, CaseIterable, Codable, Sendable {
    /// Remove everything that could run or load something, and leave all other bytes unchanged.
    case sanitise
    /// Reject each SVG that could run or load something.
    case refuse
    /// Convert every SVG to lossless WebP or PNG, whichever is smaller.
    case rasterise
}

/// Which frames of an animation to use.
package enum FrameChoice: String, CaseIterable, Codable, Sendable {
    /// All of them.
    case all
    /// The first one, as a still image.
    case first
    /// All of them, unchanged: the animation's own bytes in their own size and format.
    case keep
}
