internal import Secrets

/// Reads a response as it arrives, and stops the transfer as soon as the response cannot be used.
///
/// Its methods are never called at the same time.
final class ResponseReader {
    /// The maximum number of bytes that are read of a header, and of the body of an error or
    /// redirect.
    private static let longestUnused = 1 << 18

    private let request: TransferRequest
    private let now: @Sendable () -> Int64
    private let requestTime: Timestamp
    private var responseTime: Timestamp
    private var headBytes = 0
    private var unusedBytes = 0
    private var head = ResponseHead(status: 0, fields: HeaderFields())
    /// Whether the end of the header was reached.
    private(set) var isHeadComplete = false
    private var prefix: [UInt8] = []
    /// The length that the prefix must have before it is examined again.
    private var nextLook = 0
    private var mediaType: MediaType?
    private var isImage = false
    private var isContinued = false
    /// Whether the body must not be stored.
    private var isNoStore = false
    private var writer: BlobWriter?
    private var totalBytes: Int?
    /// The reason why the reader stopped the transfer; nil if it did not.
    private(set) var failure: FetchError?
    /// Whether the transfer was stopped early because the body is not needed.
    private(set) var isCutShort = false

    /// Creates a reader of the response to a request; `now` gives milliseconds since 1970.
    init(for request: TransferRequest, now: @escaping @Sendable () -> Int64) {
        self.request = request
        self.now = now
        requestTime = Timestamp(milliseconds: now())
        responseTime = requestTime
    }

    private var url: String { request.url }
    private var expected: Expectations { request.expected }

    /// Whether the body is kept: that of a success, and that of an error if any status is accepted.
    private var isKept: Bool {
        switch head.status {
        case 206: writer != nil || expected.takesPart
        case 200...299: true
        case 300...399: false
        default: expected.anyStatus
        }
    }

    /// Whether the body may have any type.
    private var mayBeAnything: Bool { !expected.imagesOnly || !(200...299).contains(head.status) }

    /// - Returns: Whether to continue the transfer.
    func receiveHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        if headBytes > Self.longestUnused {
            return stop(FetchError(.badResponse, url, "the header is too long"))
        }
        var line = bytes.bindMemory(to: UInt8.self)[...]
        while let last = line.last, last == 0x0A || last == 0x0D { line = line.dropLast() }
        if line.starts(with: "HTTP/".utf8) {
            // After a 1xx response the final response follows.
            let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
            head = ResponseHead(
                version: words.first ?? "HTTP/1.1",
                status: words.dropFirst().first.flatMap { Int($0) } ?? 0,
                fields: HeaderFields())
            isHeadComplete = false
        } else if line.isEmpty {
            return head.status >= 200 ? receiveHead(head) : true
        } else if !isHeadComplete, let colon = line.firstIndex(of: 0x3A) {
            // After the header there can be trailers, which are not used.
            head.fields.append(
                name: String(decoding: line[..<colon], as: UTF8.self),
                value: Self.value(line[(colon + 1)...]))
        }
        return true
    }

    /// Reads the complete head.
    ///
    /// - Returns: Whether to continue the transfer.
    func receiveHead(_ head: ResponseHead) -> Bool {
        if isHeadComplete { return true }
        self.head = head
        isHeadComplete = true
        responseTime = Timestamp(milliseconds: now())
        isNoStore =
            expected.isNoStore || expected.partial?.body.isNoStore == true
            || CacheControl(head.fields).noStore
        totalBytes = expected.isHead ? nil : head.contentLength
        request.report.emit(
            .response(status: head.status, expectedBytes: head.contentLength))
        if head.status == 206 {
            resumePart()
            if expected.takesPart, ContentRange(head.fields) == nil {
                return stop(
                    FetchError(.badResponse, url, "a 206 response without a Content-Range"))
            }
        }
        if isKept, head.hasInvalidLength {
            // libcurl reads a number from its first digits, and ignores one over 63 bits.
            return stop(
                FetchError(
                    .badResponse, url, "the Content-Length is not a valid number",
                    status: head.status))
        }
        guard isKept, let totalBytes, totalBytes > expected.maximumBodyBytes else { return true }
        return stop(tooLarge("it has \(totalBytes.asBytes),"))
    }

    /// Resumes the part of an earlier attempt, if the response is the rest of it.
    private func resumePart() {
        guard let partial = expected.partial, let range = partial.rest(in: head.fields),
            !isNoStore || partial.body.isNoStore, let writer = try? BlobWriter(continuing: partial)
        else { return }
        request.report.file(of: writer)
        self.writer = consume writer
        isContinued = true
        mediaType = partial.body.mediaType
        isImage = partial.body.isImage
        totalBytes = range.last + 1
    }

    /// - Returns: Whether to continue the transfer.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard isKept else {
            unusedBytes += bytes.count
            if head.status >= 400 { ErrorText.keep(bytes, in: &prefix) }
            isCutShort = unusedBytes > Self.longestUnused
            return !isCutShort
        }
        do throws(FetchError) {
            try take(bytes)
            request.report.progress(
                FetchProgress(receivedBytes: receivedBytes, expectedBytes: totalBytes))
            return true
        } catch {
            return stop(error)
        }
    }

    /// Whether the content has a coding that nobody knows, so that it is used as it is.
    ///
    /// Some stores send in `Content-Encoding` how an object was uploaded, its media type or its
    /// character set. Browsers do the same.
    var hasUnknownCoding: Bool {
        head.fields.values(for: "Content-Encoding").flatMap(FieldList.members)
            .contains { !CurlEasy.knownCodings.contains($0.lowercased()) }
    }

    private var receivedBytes: Int { prefix.count + (writer?.byteCount ?? 0) }

    /// Throws the reason why the reader stopped the transfer, if it did.
    func check() throws(FetchError) {
        if let failure { throw failure.unstored(if: isNoStore) }
        if isCutShort { throw FetchError(.badResponse, url, "the rest is not needed") }
    }

    /// Finishes the body.
    func finish() throws(FetchError) -> TransferResponse {
        do throws(FetchError) {
            return try finished()
        } catch {
            throw error.unstored(if: isNoStore)
        }
    }

    private func finished() throws(FetchError) -> TransferResponse {
        if let failure { throw failure }
        var response = TransferResponse(
            head: head, requestTime: requestTime, responseTime: responseTime)
        guard isKept else {
            response.needsTLS = head.status == 400 && SchemeMismatch.isOfTLSServer(prefix)
            response.serviceCode = ErrorText.serviceCode(in: prefix)
            return response
        }
        if mediaType == nil { try decide(isWhole: true) }
        if head.status == 206, let totalBytes, receivedBytes != totalBytes {
            throw FetchError(.interrupted, url, "the resumed part of the body is incomplete")
        }
        if writer == nil, expected.isHead || mayBeAnything {
            mediaType = declaredType
            writer = try request.temporary.newWriter(isNoStore: isNoStore)
        }
        guard let writer = writer.take(), let mediaType else {
            throw FetchError(.empty, url, "the response has no bytes", status: head.status)
        }
        response.body = try writer.finish(mediaType)
        response.body?.isImage = isImage
        response.isContinued = isContinued
        return response
    }

    /// The received part if a strong validator allows to resume it; otherwise its file is removed.
    func suspend() -> PartialBody? {
        defer { writer = nil }
        guard failure == nil, isKept, !expected.takesPart, [200, 206].contains(head.status),
            let mediaType,
            receivedBytes >= PartialBody.fewestBytes,
            head.fields["Accept-Ranges"]?.lowercased() != "none",
            head.fields["Content-Encoding"] == nil,
            let validator = Validators(head.fields).strong(responseTime: responseTime),
            let writer = writer.take()
        else { return nil }
        let (body, hasher) = writer.suspend(mediaType, isImage: isImage)
        let total = totalBytes.map(String.init) ?? "*"
        let fields = head.fields.ofPart(
            byteCount: body.byteCount, range: "0-\(body.byteCount - 1)/\(total)")
        let response = TransferResponse(
            head: ResponseHead(version: head.version, status: 206, fields: fields),
            requestTime: requestTime, responseTime: responseTime)
        return PartialBody(
            url: withoutCredentials(url), validator: validator, response: response, body: body,
            hasher: hasher)
    }

    private func stop(_ error: FetchError) -> Bool {
        failure = error.unstored(if: isNoStore)
        writer = nil
        return false
    }

    private func tooLarge(_ what: String) -> FetchError {
        FetchError(
            .tooLarge, url, "\(what) more than the limit of \(expected.maximumBodyBytes.asBytes)",
            status: head.status)
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(FetchError) {
        if receivedBytes + bytes.count > expected.maximumBodyBytes {
            throw tooLarge("it has")
        }
        if mediaType != nil {
            try writer?.write(bytes)
            return
        }
        prefix += bytes
        // Do not examine the prefix after each of many small pieces.
        if prefix.count < nextLook { return }
        nextLook = 2 * prefix.count
        try decide(isWhole: false)
    }

    /// Whether the first bytes pass the caller's check; false if it needs more of them.
    private func passesCheck(isWhole: Bool) throws(FetchError) -> Bool {
        guard expected.imagesOnly, !expected.takesPart, let check = expected.check else {
            return true
        }
        switch check(head, prefix) {
        case .accepted: return true
        case .undecided: return isWhole || prefix.count >= MediaTypeSniffer.longestPrefix
        case .refused(let reason):
            throw FetchError(.refused, url, reason, status: head.status)
        }
    }

    private var declaredType: MediaType {
        MediaType(rawValue: head.fields["Content-Type"] ?? "application/octet-stream")
    }

    /// Examines the first bytes, and starts to write if they are accepted.
    private func decide(isWhole: Bool) throws(FetchError) {
        if prefix.isEmpty { return }
        switch MediaTypeSniffer.verdict(on: prefix, isWhole: isWhole) {
        case .undecided: return
        case .image(let type):
            guard try passesCheck(isWhole: isWhole) else { return }
            mediaType = type
            isImage = true
        case .other(let what):
            guard mayBeAnything else {
                let type = head.fields["Content-Type"].map { " (Content-Type \($0))" } ?? ""
                throw FetchError(
                    .notAnImage, url, "the response is \(what)\(type)", status: head.status)
            }
            mediaType = declaredType
        }
        var writer = try request.temporary.newWriter(isNoStore: isNoStore)
        request.report.file(of: writer)
        try writer.write(prefix)
        self.writer = consume writer
        prefix = []
    }
}

extension ResponseReader {
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

    /// The value of a field as text.
    ///
    /// Control characters are removed, because validators are sent back unchanged.
    static func value(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: bytes.trimmed.filter { $0 >= 0x20 || $0 == 0x09 }, as: UTF8.self)
    }
}
