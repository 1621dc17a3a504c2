/// What no image may use more of.
package struct Limits: Codable, Hashable, Sendable {
    /// Pixels of all frames together, seen in the header; 100 megapixels by default.
    package var pixels = 100_000_000
    /// Wall-clock seconds for one job, kept by whoever runs the worker; 20 by default.
    package var seconds = 20.0
    /// Bytes of memory that one job may add to a worker; 1 GiB by default.
    package var memoryBytes = 1 << 30

    package init() {}
}

/// One piece of work for a worker: a line of JSON on its standard input.
package struct Job: Codable, Hashable, Sendable {
    package enum Task: Codable, Hashable, Sendable {
        /// Read the header; answered by ``Answer/header(_:)``.
        case probe
        /// Make a variant and write it to `output`, a path at which no file is; answered by
        /// ``Answer/variant(_:)``.
        case transform(Recipe, output: String)
    }

    /// The absolute path of the source's blob.
    package var source: String
    package var task: Task
    package var limits: Limits

    package init(source: String, task: Task, limits: Limits = Limits()) {
        self.source = source
        self.task = task
        self.limits = limits
    }
}
