/// Upper limits for each image.
package struct Limits: Codable, Hashable, Sendable {
    /// The maximum number of pixels of an image, or of one frame of an animation, by the header;
    /// 100 megapixels by default.
    ///
    /// An animation with more pixels in all its frames is not encoded; its own bytes are used.
    package var pixels = 100_000_000
    /// The limit of the processor time for one variant in seconds; 20 by default.
    ///
    /// The parent of the worker enforces it. By the clock, ten times as long is allowed.
    package var seconds = 20.0
    /// The memory in bytes that a worker may use in addition to that before its first job, enforced
    /// by its sandbox; 1 GiB by default.
    package var memoryBytes = 1 << 30

    package init() {}
}

/// A task for a worker: make these variants of a source.
///
/// The worker reads the header of the source and plans each variant by `planVariant(of:options:)`.
/// It decodes the source once for all variants that need the same pixels. The header is part of the
/// answer, even if no variant is wanted.
///
/// A job is a line of JSON on the socket that is the worker's standard input. It contains no file
/// names. The line comes with the descriptors of the source, open for reading, and of one output for
/// each variant, which are empty and open for writing.
package struct Job: Codable, Hashable, Sendable {
    /// The largest number of variants.
    package static let mostVariants = 16

    /// The options of each variant, at most ``mostVariants``; none to read the header only.
    package var variants: [VariantOptions]
    package var limits: Limits
    /// The largest output that the worker may write for each variant, in bytes; 1 GiB by default.
    package var outputBytes = 1 << 30

    package init(_ variants: [VariantOptions] = [], limits: Limits = Limits()) {
        self.variants = variants
        self.limits = limits
    }

    /// The limit of the processor time in seconds: that of an image, for each variant.
    package var seconds: Double { limits.seconds * Double(max(1, variants.count)) }
}
