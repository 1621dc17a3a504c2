extension ResponseReader {
    /// The requirements of the body.
    struct Expectations: Sendable {
        var maximumBodyBytes: Int
        /// Whether the body must be an image.
        var imagesOnly = true
        /// Whether the body is kept for every status.
        var anyStatus = false
        /// Whether a part of the body is accepted, because a range was requested.
        var takesPart = false
        /// Whether the response has only a header.
        var isHead = false
        /// Whether the body must not be stored, because the request or a redirect says so.
        var isNoStore = false
        /// A check of the first bytes of an image; nil for none.
        var check: (@Sendable ([UInt8]) -> BodyVerdict)?
        /// The part of the body that an earlier attempt received.
        var partial: PartialBody?
    }
}
