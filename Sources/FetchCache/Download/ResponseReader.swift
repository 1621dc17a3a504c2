/// What one request was answered.
struct HopResponse: Sendable {
    var head: ResponseHead
    /// The body of a status from 200 to 299, written and hashed; nil of any other.
    var body: StagedBlob?
    /// When the request was sent, and when the header had arrived.
    var requestTime: Timestamp
    var responseTime: Timestamp
}

/// Takes the lines of a header and the bytes of a body as they arrive, and stops the transfer as
/// soon as it is known to be of no use.
///
/// Belongs to the thread of the transfer.
final class ResponseReader {
    struct Limits: Sendable {
        var maximumBodyBytes: Int
        /// Whether a body has to be an image.
        var imagesOnly = true
    }

    /// The most bytes of a header, and of the body of an error page or a redirect, that are read.
    private static let longestUnused = 1 << 18

    private let url: String
    private let limits: Limits
    private let newPath: () throws(FetchError) -> String
    private let now: () -> Timestamp
    private let requestTime: Timestamp
    private var responseTime: Timestamp
    private var headBytes = 0
    private var unusedBytes = 0
    private var head = ResponseHead(status: 0, fields: HeaderFields())
    private var isHeadComplete = false
    private var prefix: [UInt8] = []
    private var mediaType: MediaType?
    private var writer: BlobWriter?
    /// Why the reader stopped the transfer; nil if it did not.
    private(set) var failure: FetchError?
    /// Whether the rest of an answer whose body is of no use was cut off.
    private(set) var isCutShort = false

    /// Makes a reader, which asks `newPath` for a temporary file when there is a body.
    init(
        url: String, limits: Limits, now: @escaping () -> Timestamp,
        newPath: @escaping () throws(FetchError) -> String
    ) {
        self.url = url
        self.limits = limits
        self.now = now
        self.newPath = newPath
        requestTime = now()
        responseTime = requestTime
    }

    private var isSuccess: Bool { (200...299).contains(head.status) }

    /// - Returns: Whether to go on.
    func receiveHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        if headBytes > Self.longestUnused {
            return stop(FetchError(.badResponse, url, "the header is too long"))
        }
        let line = String(decoding: bytes, as: UTF8.self)
        let text = line.hasSuffix("\r\n") ? String(line.dropLast(1)) : line.filter { $0 != "\n" }
        if text.hasPrefix("HTTP/") {
            // After a 1xx the real answer follows.
            let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            head = ResponseHead(status: status ?? 0, fields: HeaderFields())
            isHeadComplete = false
        } else if text.isEmpty {
            isHeadComplete = head.status >= 200
            responseTime = now()
            return isHeadComplete ? checkLength() : true
        } else if !isHeadComplete, let colon = text.firstIndex(of: ":") {
            // Past the header there may be trailers, of which none is used.
            // Validators are sent back as they came: no control character may go with them.
            let value = text[text.index(after: colon)...].filter { !$0.isNewline && $0 != "\0" }
            head.fields.append(name: String(text[..<colon]), value: String(value).trimmed)
        }
        return true
    }

    /// - Returns: Whether to go on.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard isSuccess else {
            unusedBytes += bytes.count
            isCutShort = unusedBytes > Self.longestUnused
            return !isCutShort
        }
        do throws(FetchError) {
            try take(bytes)
            return true
        } catch {
            return stop(error)
        }
    }

    /// Ends the body.
    ///
    /// What was written is thrown away if it is no image.
    func finish() throws(FetchError) -> HopResponse {
        if let failure { throw failure }
        var response = HopResponse(
            head: head, requestTime: requestTime, responseTime: responseTime)
        guard isSuccess else { return response }
        if mediaType == nil { try decide(isWhole: true) }
        guard let writer = writer.take(), let mediaType else {
            throw FetchError(.empty, url, "the answer has no bytes", status: head.status)
        }
        response.body = try writer.finish(mediaType)
        return response
    }

    private func stop(_ error: FetchError) -> Bool {
        failure = error
        writer = nil
        return false
    }

    private func checkLength() -> Bool {
        guard isSuccess, let length = head.contentLength, length > limits.maximumBodyBytes else {
            return true
        }
        return stop(tooLarge("\(length) bytes are"))
    }

    private func tooLarge(_ what: String) -> FetchError {
        FetchError(
            .tooLarge, url, "\(what) more than the limit of \(limits.maximumBodyBytes)",
            status: head.status)
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(FetchError) {
        let count = prefix.count + (writer?.byteCount ?? 0)
        if count + bytes.count > limits.maximumBodyBytes { throw tooLarge("the answer has") }
        if mediaType != nil {
            try writer?.write(bytes)
            return
        }
        prefix += bytes
        try decide(isWhole: false)
    }

    /// Looks at the first bytes, and begins to write if they are those of an image.
    private func decide(isWhole: Bool) throws(FetchError) {
        if prefix.isEmpty { return }
        switch MediaTypeSniffer.verdict(on: prefix, isWhole: isWhole) {
        case .undecided: return
        case .image(let type): mediaType = type
        case .other(let what):
            guard !limits.imagesOnly else {
                let type = head.fields["Content-Type"].map { " (Content-Type \($0))" } ?? ""
                throw FetchError(
                    .notAnImage, url, "the answer is \(what)\(type)", status: head.status)
            }
            mediaType = MediaType(
                rawValue: head.fields["Content-Type"] ?? "application/octet-stream")
        }
        writer = try BlobWriter(path: newPath())
        let result = prefix.withUnsafeBytes { bytes in
            Result { () throws(FetchError) in try writer?.write(bytes) }
        }
        prefix = []
        _ = try result.get()
    }
}
