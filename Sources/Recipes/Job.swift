/// Upper limits for each image.
package struct Limits: Codable, Hashable, Sendable {
    /// The maximum number of pixels of an image, or of one frame of an animation, by the header;
    /// 100 megapixels by default.
    ///
    /// An animation with more pixels in all its frames is not encoded; its own bytes are used.
    package var pixels = 100_000_000
    /// The limit of the processor time for one job in seconds; 20 by default.
    ///
    /// The parent of the worker enforces it. By the clock, ten times as long is allowed.
    package var seconds = 20.0
    /// The memory in bytes that a worker may use in addition to that before its first job, enforced
    /// by its sandbox; 1 GiB by default.
    package var memoryBytes = 1 << 30

    package init() {}
}

/// A task for a worker: a line of JSON on the socket that is its standard input.
///
/// It contains no file names. The line comes with the descriptors of the source, open for reading,
/// and of the output, which is empty and open for writing.
package struct Job: Codable, Hashable, Sendable {
    package enum Task: Codable, Hashable, Sendable {
        /// Read the header; answered by ``JobResult/header(_:)``.
        case probe
        /// Make a variant and write it to the output; answered by ``JobResult/variant(_:)``.
        case transform(Recipe)
        /// Read the header, plan by `planVariant(of:options:)`, and make the variant of that plan;
        /// answered by ``JobResult/image(_:)``.
        case make(VariantOptions)
    }

    package var task: Task
    package var limits: Limits
    /// The largest output that the worker may write, in bytes; 1 GiB by default.
    package var outputBytes = 1 << 30

    package init(_ task: Task, limits: Limits = Limits()) {
        self.task = task
        self.limits = limits
    }
}
