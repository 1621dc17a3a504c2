/// The verdict on a body by its first bytes; see ``FetchConfiguration/bodyCheck``.
public enum BodyVerdict: Sendable, Hashable {
    /// The rest of the body is downloaded.
    case accepted
    /// More bytes are needed.
    ///
    /// A body that is still undecided after 64 KiB, or at its end, is accepted.
    case undecided
    /// The transfer is stopped, and the load fails with ``FetchError/Code/refused``.
    ///
    /// The reason is one clause without a period, which can follow the URL and a colon.
    case refused(reason: String)
}
