/// What to load, and how much of the network to use for it.
public struct FetchRequest: Sendable, Hashable {
    /// How stored resources are used.
    public enum Mode: Sendable, Hashable {
        /// A fresh one is used as it is, a stale one after the server has been asked.
        case normal
        /// The server is asked even about a fresh one.
        case refresh
        /// No request is made: what is stored is used, fresh or stale.
        case offline
    }

    /// Which of the waiting transfers begins first; first-in-first-out within a priority.
    public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// After all others.
        case low
        /// The default.
        case normal
        /// Before all others, even those that wait already.
        case high

        /// Whether the left begins after the right.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// An http or https URL, as it stands in a document: spaces, letters beyond ASCII and a
    /// fragment are taken care of.
    public var url: String
    /// How stored resources are used, ``Mode/normal`` by default.
    public var mode: Mode
    /// When the transfer begins, ``Priority/normal`` by default.
    ///
    /// Callers that share a transfer share the first one's.
    public var priority: Priority

    /// Makes a request.
    public init(_ url: String, mode: Mode = .normal, priority: Priority = .normal) {
        self.url = url
        self.mode = mode
        self.priority = priority
    }
}
