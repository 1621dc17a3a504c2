/// Changes what was downloaded before it is stored: scales it, say, or encodes it anew.
public struct Transform: Sendable {
    /// Everything that decides the result besides the source: what is done, with which parameters,
    /// by which version of what does it.
    ///
    /// The result is stored under it and under the digest of the source, and is never made again for
    /// the same two.
    public var identity: String
    /// Reads the file of a source and writes the result to a file that is not there yet.
    public var apply: @Sendable (_ source: Resource, _ output: String) async throws -> Void

    /// Makes a transform.
    ///
    /// - Parameters:
    ///   - identity: See ``identity``.
    ///   - apply: See ``apply``. What it throws comes out of ``FetchCache/load(_:progress:)`` as
    ///     ``FetchError/Code/custom``.
    public init(
        identity: String,
        apply: @escaping @Sendable (_ source: Resource, _ output: String) async throws -> Void
    ) {
        self.identity = identity
        self.apply = apply
    }
}
