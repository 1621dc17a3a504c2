/// The keys of AWS.
struct AWSCredentials: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    var accessKey: String
    var secretKey: String
    /// The token of a session; nil for the keys of a user.
    var sessionToken: String?
    /// The time until which they can be used, in milliseconds since 1970; nil for ever.
    var expiry: Int64?

    /// No secret.
    var description: String { "credentials of AWS" }

    /// The same as ``description``.
    var debugDescription: String { description }
}

/// Credentials that are obtained when they are needed, and again before they expire.
actor AWSCredentialSource {
    /// The time before their end at which they are obtained again, in milliseconds.
    private static let margin: Int64 = 5 * 60 * 1000

    private let now: @Sendable () -> Int64
    private let obtain: @Sendable () async throws(FetchError) -> AWSCredentials
    private var current: AWSCredentials?
    private var work: Task<Result<AWSCredentials, FetchError>, Never>?

    /// - Parameters:
    ///   - now: The time in milliseconds since 1970.
    ///   - obtain: Obtains credentials.
    init(
        now: @escaping @Sendable () -> Int64,
        obtain: @escaping @Sendable () async throws(FetchError) -> AWSCredentials
    ) {
        self.now = now
        self.obtain = obtain
    }

    /// The credentials, which are valid for a while.
    ///
    /// - Throws: The error of obtaining them, unless the last ones are still valid.
    func credentials() async throws(FetchError) -> AWSCredentials {
        if let current, isValid(current, for: Self.margin) { return current }
        let task =
            work
            ?? Task { [obtain] in
                do throws(FetchError) { return .success(try await obtain()) } catch {
                    return .failure(error)
                }
            }
        work = task
        let result = await task.value
        // Others may have waited for the same.
        if work == task { work = nil }
        if case .success(let new) = result { current = new }
        if case .failure = result, let current, isValid(current, for: 0) { return current }
        return try result.get()
    }

    private func isValid(_ credentials: AWSCredentials, for margin: Int64) -> Bool {
        credentials.expiry.map { $0 - now() > margin } ?? true
    }
}
