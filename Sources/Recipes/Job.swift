/// What no image may use more of.
package struct Limits: Codable, Hashable, Sendable {
    /// Pixels of an image, or of one frame of an animation, by the header; 100 megapixels by default.
    ///
    /// An animation of more in all its frames is not encoded, but passed on as it is.
    package var pixels = 100_000_000
    /// Wall-clock seconds for one job, kept by whoever runs the worker; 20 by default.
    package var seconds = 20.0
    /// Bytes of memory that a worker may take beyond what it has before its first job, set by its
    /// sandbox; 1 GiB by default.
    package var memoryBytes = 1 << 30

    package init() {}
}

/// One piece of work for a worker: a line of JSON on the socket that is its standard input.
///
/// It names no file. The descriptors of the source, open for reading, and of the output, open for
/// writing and empty, come with the line.
package struct Job: Codable, Hashable, Sendable {
    package enum Task: Codable, Hashable, Sendable {
        /// Read the header; answered by ``Answer/header(_:)``.
        case probe
        /// Make a variant and write it to the output; answered by ``Answer/variant(_:)``.
        case transform(Recipe)
    }

    package var task: Task
    package var limits: Limits

    package init(_ task: Task, limits: Limits = Limits()) {
        self.task = task
        self.limits = limits
    }
}
