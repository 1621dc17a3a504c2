extension Diagnostic {
    /// Whether the run may have missed images of the document, or of any if no document is named.
    ///
    /// What a lockfile or a baseline knows of such images stays.
    package var hidesImages: Bool {
        switch code {
        case .documentChanged, .unsupportedEncoding, .documentTooLarge, .documentTooComplex,
            .invalidFrontMatter:
            true
        // With a URL, the message is about one image.
        case .unreadableFile, .unwritableFile, .linkOutside, .diskFull, .cacheUnusable:
            url == nil
        default: false
        }
    }
}
