public import SystemPackage

/// Makes another resource of a download, for instance scales or re-encodes it; both are stored.
public struct Transform: Sendable {
    /// Everything that determines the result except the source: the operation, its parameters and
    /// the version of the software.
    ///
    /// The result is stored under this text and the digest of the source. It is never computed
    /// again for the same two.
    public var identity: String
    /// Reads the file of a source and writes the result to a new file.
    public var apply: @Sendable (_ source: Resource, _ output: FilePath) async throws -> Void

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - identity: See ``identity``.
    ///   - apply: See ``apply``. An error that it throws becomes ``FetchError/Code/custom`` in
    ///     ``FetchManager/load(_:progress:)``.
    public init(
        identity: String,
        apply: @escaping @Sendable (_ source: Resource, _ output: FilePath) async throws -> Void
    ) {
        self.identity = identity
        self.apply = apply
    }
}
