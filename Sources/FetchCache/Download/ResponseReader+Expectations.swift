extension ResponseReader {
    /// Begins a temporary file; it has no name if the argument is true.
    typealias NewWriter = (_ isNoStore: Bool) throws(FetchError) -> BlobWriter

    /// The requirements of the body.
    struct Expectations: Sendable {
        /// Decides on the first bytes of a body; see ``BodyCheck``.
        typealias Check = @Sendable (_ head: ResponseHead, _ bytes: [UInt8]) -> BodyCheck.Verdict

        var maximumBodyBytes: Int
        /// Whether the body must be an image.
        var imagesOnly = true
        /// Whether the body is kept for every status.
        var anyStatus = false
        /// Whether a part of the body is accepted, because a range was requested.
        var takesPart = false
        /// Whether the response has only a header.
        var isHead = false
        /// Whether the body must not be stored, because the request or a redirect says so.
        var isNoStore = false
        /// A check of the first bytes of an image; nil for none.
        var check: Check?
        /// The part of the body that an earlier attempt received.
        var partial: PartialBody?
    }

    /// Creates a reader of the response to a request that reports progress to the waiting callers.
    convenience init(
        for request: TransferRequest, now: @escaping @Sendable () -> Int64
    ) {
        let files = request.files
        let report = request.report
        self.init(
            url: request.url, expected: request.expected,
            now: { Timestamp(milliseconds: now()) },
            newWriter: { isNoStore throws(FetchError) in try files.newWriter(isNoStore: isNoStore)
            },
            onHead: { head in
                report.emit(.response(status: head.status, expectedBytes: head.contentLength))
            },
            onProgress: { report.progress($0) })
    }

    /// The value of a field as text.
    ///
    /// Control characters are removed, because validators are sent back unchanged.
    static func value(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let isClean = bytes.allSatisfy { $0 >= 0x20 || $0 == 0x09 }
        let bytes = bytes.trimmed
        if isClean { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.filter { $0 >= 0x20 || $0 == 0x09 }, as: UTF8.self)
    }
}
