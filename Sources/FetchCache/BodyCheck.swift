public import HTTPTypes

/// A check of the first bytes of an image, before the rest is downloaded.
///
/// ```swift
/// configuration.downloader.bodyCheck = BodyCheck(identity: "no GIF") { beginning in
///     beginning.bytes.starts(with: Array("GIF8".utf8))
///         ? .refused(reason: "GIF files are not allowed") : .accepted
/// }
/// ```
///
/// Set it for all requests with ``DownloaderConfiguration/bodyCheck``, or for one with
/// ``FetchRequest/bodyCheck``. It is not called for requests that accept any content or that load a
/// part of a resource. Stored bodies and the first parts of interrupted downloads are checked too,
/// from their files.
public struct BodyCheck: Sendable {
    /// The beginning of a body, and the response that it belongs to.
    public struct Beginning: Sendable {
        /// The normalized URL that was requested, without a user and password.
        public var url: String
        /// The URL that the bytes come from, after redirects, without a user and password.
        public var finalURL: String
        /// The status code of the response.
        public var status: Int
        /// The fields of the response.
        ///
        /// Those of a stored response, and of the first part of an interrupted download, are the
        /// stored ones.
        public var fields: HTTPFields { HTTPFields(headerFields) }
        /// The first bytes of the body.
        public var bytes: [UInt8]

        /// The length of the whole body; nil if it is not known yet.
        package internal(set) var length: Int?

        var headerFields: HeaderFields

        init(
            url: String, finalURL: String, status: Int, fields: HeaderFields, bytes: [UInt8] = []
        ) {
            self.url = url
            self.finalURL = finalURL
            self.status = status
            self.headerFields = fields
            self.bytes = bytes
            length = fields["Content-Length"].flatMap { Int($0) }
        }

        /// Creates a beginning, for instance to test a check.
        public init(
            url: String, status: Int = 200, fields: HTTPFields = HTTPFields(), bytes: [UInt8]
        ) {
            self.init(
                url: url, finalURL: url, status: status, fields: HeaderFields(fields),
                bytes: bytes)
        }
    }

    /// The decision on a body.
    public enum Verdict: Sendable, Hashable {
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

    /// The name of the check with its parameters; nil if it has none.
    ///
    /// A refusal by a check with an identity is remembered like a permanent failure (see
    /// ``CachePolicy/failureLifetime``), until a request is made with a check of another
    /// identity. A stored body that a check of the same identity has accepted is not read again.
    public let identity: String?

    let verdict: @Sendable (Beginning) -> Verdict

    /// Distinguishes the check from others in this process.
    ///
    /// Checks of the same identity count as the same. One without an identity is the same as its
    /// copies only.
    let name: String

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - identity: As in ``identity``.
    ///   - verdict: Decides on the first bytes of a body. It is called on the thread of the
    ///     transfers, so it must be fast, and again with more bytes while it is undecided.
    public init(
        identity: String? = nil, _ verdict: @escaping @Sendable (Beginning) -> Verdict
    ) {
        self.identity = identity
        self.verdict = verdict
        name = identity.map { "check \($0)" } ?? "check #\(uniqueNumber())"
    }
}
