/// One thing that happened to a load, in the order of its happening.
public struct FetchEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// A transfer waits for its turn.
        case queued
        /// A request is being sent, to this URL: the first one or one that a redirect led to.
        case started(url: String)
        /// The header of an answer has arrived.
        case response(status: Int, expectedBytes: Int?)
        /// Bytes of the body have arrived; told about ten times a second.
        case progress(FetchProgress)
        /// The load has ended, with bytes from the network.
        case finished(byteCount: Int)
        /// The server said that what is stored has not changed.
        case revalidated
        /// The load has failed.
        case failed(FetchError)
        /// Nobody waits for the load any more.
        case cancelled
        /// An attempt has failed; the next begins after the delay.
        case retried(FetchError, delay: Duration)
        /// Something was dropped from the cache, to make room or because of its age.
        case evicted
    }

    /// What names the entry in the cache; see ``FetchCache/key(for:)``.
    public var key: String
    /// What happened.
    public var kind: Kind

    /// Makes an event.
    public init(key: String, kind: Kind) {
        self.key = key
        self.kind = kind
    }
}

/// How far a download is.
public struct FetchProgress: Sendable, Hashable {
    /// Bytes of the body that have arrived, those of an earlier attempt that is gone on with
    /// included.
    public var receivedBytes: Int
    /// The length of the body as announced; nil if it was not.
    public var expectedBytes: Int?

    /// Makes progress; none by default.
    public init(receivedBytes: Int = 0, expectedBytes: Int? = nil) {
        self.receivedBytes = receivedBytes
        self.expectedBytes = expectedBytes
    }
}
