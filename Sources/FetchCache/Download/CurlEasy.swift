internal import CCurl
internal import Files
internal import Secrets
internal import SystemPackage

/// A libcurl easy handle, reused for one transfer after another.
///
/// Used only on the thread of the ``CurlLoop``.
final class CurlEasy {
    let handle: UnsafeMutableRawPointer
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var addresses: UnsafeMutablePointer<curl_slist>?
    private var connectTimeout: Duration = .zero
    private var proxy: String?

    /// Initializes libcurl once per process.
    static let isStarted = ccurl_global_init() == CURLE_OK

    init?() {
        guard Self.isStarted, let handle = ccurl_easy_init() else { return nil }
        self.handle = handle
    }

    deinit {
        ccurl_easy_cleanup(handle)
        ccurl_slist_free_all(fields)
        ccurl_slist_free_all(addresses)
        message.deallocate()
    }

    /// Sets every option for one transfer; `context` is the ``CurlTransfer`` of the callbacks.
    func prepare(
        _ request: TransportRequest, _ session: CurlSession, context: UnsafeMutableRawPointer
    ) {
        let configuration = session.configuration
        ccurl_easy_reset(handle)
        message[0] = 0
        connectTimeout = request.times.connect
        proxy = request.proxy
        replace(&fields, by: Self.lines(request.headerFields))
        replace(&addresses, by: configuration.network.hostAddresses)

        ccurl_set_pointer(handle, CURLOPT_PRIVATE, context)
        ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, message)
        ccurl_set_string(handle, CURLOPT_URL, request.url)
        setMethod(request)
        ccurl_set_list(handle, CURLOPT_HTTPHEADER, fields)
        if addresses != nil { ccurl_set_list(handle, CURLOPT_RESOLVE, addresses) }
        ccurl_allow_http_only(handle)
        // Images are already compressed. If a server compresses anyway, the response is still
        // decoded: libcurl decodes all codings if any coding was requested by name.
        ccurl_set_string(handle, CURLOPT_ACCEPT_ENCODING, "identity")
        ccurl_set_long(handle, CURLOPT_HTTP_CONTENT_DECODING, request.decodesContent ? 1 : 0)
        ccurl_set_string(handle, CURLOPT_PROXY, request.proxy ?? "")
        ccurl_set_string(handle, CURLOPT_NOPROXY, "")
        ccurl_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(handle, CURLOPT_TCP_KEEPALIVE, 1)
        ccurl_set_long(handle, CURLOPT_BUFFERSIZE, 1 << 17)
        ccurl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // Over TLS the server may support HTTP/2. In that case, share the first connection.
        ccurl_set_long(handle, CURLOPT_PIPEWAIT, request.url.hasPrefix("https") ? 1 : 0)
        ccurl_set_long(
            handle, CURLOPT_CONNECTTIMEOUT_MS, Int(request.times.connect.milliseconds))
        setCredentials(request, session)
        ccurl_set_header_callback(handle, receiveHeaderLine, context)
        ccurl_set_body_callback(handle, receiveBody, context)
        ccurl_set_open_socket_callback(handle, openSocket, context)
    }

    /// The lines of the request header.
    ///
    /// libcurl adds some fields by itself, unless they are set to be left out.
    private static func lines(_ fields: HeaderFields) -> [String] {
        let own = ["Accept", "Accept-Encoding", "User-Agent", "Content-Type"]
        return fields.lines.map { $0.hasSuffix(": ") ? $0.replacing(": ", with: ";") : $0 }
            + own.filter { fields[$0] == nil }.map { $0 + ":" }
    }

    /// Sets the method and the content.
    private func setMethod(_ request: TransportRequest) {
        if let body = request.body {
            ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            // libcurl copies the content.
            body.withUnsafeBytes { bytes in
                _ = ccurl_set_bytes(handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
            }
            // Without this, libcurl sends `Expect: 100-continue` before a long body and waits a
            // second for the response.
            fields = ccurl_slist_append(fields, "Expect:") ?? fields
        }
        if request.method == .head {
            ccurl_set_long(handle, CURLOPT_NOBODY, 1)
        } else if request.method != .get || request.body != nil {
            ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
    }

    /// Sets the credential, the client certificate and the trusted authorities.
    private func setCredentials(_ request: TransportRequest, _ session: CurlSession) {
        switch request.credential {
        case .basic(let user, let password):
            ccurl_set_long(handle, CURLOPT_HTTPAUTH, ccurl_auth_basic())
            ccurl_set_string(handle, CURLOPT_USERNAME, user)
            ccurl_set_string(handle, CURLOPT_PASSWORD, password)
        case .bearer(let token):
            fields = ccurl_slist_append(fields, "Authorization: Bearer \(token)") ?? fields
            ccurl_set_list(handle, CURLOPT_HTTPHEADER, fields)
        case nil:
            if let file = session.configuration.netrcFile {
                ccurl_set_long(handle, CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
                ccurl_set_string(handle, CURLOPT_NETRC_FILE, file.string)
            }
        }
        if let share = session.cookies {
            ccurl_set_pointer(handle, CURLOPT_SHARE, share)
            ccurl_set_string(handle, CURLOPT_COOKIEFILE, "")
        }
        if let certificate = request.clientCertificate {
            ccurl_set_string(handle, CURLOPT_SSLCERT, certificate.file.string)
            let keyFile = certificate.keyFile ?? certificate.file
            ccurl_set_string(handle, CURLOPT_SSLKEY, keyFile.string)
            if let password = certificate.password {
                ccurl_set_string(handle, CURLOPT_KEYPASSWD, password)
            }
        }
        if let file = session.authorities { ccurl_set_string(handle, CURLOPT_CAINFO, file) }
        if request.allowsInvalidCertificate {
            ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 0)
            ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    /// Turns off content decoding.
    func leaveContentEncoded() { ccurl_set_long(handle, CURLOPT_HTTP_CONTENT_DECODING, 0) }

    /// The content codings that this build of libcurl decodes.
    static let knownCodings: Set<String> = {
        let features = ccurl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0
        var names: Set = ["identity", "none"]
        if features & CURL_VERSION_LIBZ != 0 { names.formUnion(["deflate", "gzip", "x-gzip"]) }
        if features & CURL_VERSION_BROTLI != 0 { names.insert("br") }
        if features & CURL_VERSION_ZSTD != 0 { names.insert("zstd") }
        return names
    }()

    /// The time until the connection was made; nil if it is not made yet.
    var millisecondsUntilConnected: Int64? {
        let microseconds = ccurl_get_offset(handle, CURLINFO_PRETRANSFER_TIME_T)
        return microseconds == 0 ? nil : Int64(microseconds) / 1000
    }

    /// The address of the last connection, new or reused; nil if there was none.
    var remoteAddress: IPAddress? {
        ccurl_get_string(handle, CURLINFO_PRIMARY_IP).flatMap { IPAddress(String(cString: $0)) }
    }

    /// The transfer that a handle was prepared for.
    static func transfer(of handle: UnsafeMutableRawPointer) -> CurlTransfer? {
        let context = ccurl_get_string(handle, CURLINFO_PRIVATE)
        return context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Converts a libcurl code to a ``FetchError``.
    func error(_ code: CURLcode, _ url: String) -> FetchError {
        if let error = proxyError(code, url) { return error }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return FetchError(.unresolved, url, "the name of the host does not resolve")
        case CURLE_COULDNT_CONNECT:
            return FetchError(.unreachable, url, connectFailure(code))
        case CURLE_OPERATION_TIMEDOUT:
            return FetchError(.timedOut, url, "no connection within \(connectTimeout.words)")
        case CURLE_PARTIAL_FILE:
            return FetchError(.interrupted, url, "the response was cut short: \(text(code))")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return FetchError(.interrupted, url, "the connection broke: \(text(code))")
        case CURLE_SSL_CONNECT_ERROR where SchemeMismatch.isOfPlainServer(text(code)):
            return FetchError(
                .tls, url, "the answer is not TLS; the port may be for http", subcode: .hasNoTLS)
        case CURLE_UNSUPPORTED_PROTOCOL:
            // A TLS server answers a plain request with an alert, which is no HTTP.
            return FetchError(
                .badResponse, url, "the answer is not HTTP; the port may be for https",
                subcode: .needsTLS)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED:
            return FetchError(.tls, url, "TLS failed: \(text(code))")
        case CURLE_URL_MALFORMAT:
            return FetchError(.invalidURL, url, text(code))
        case CURLE_WEIRD_SERVER_REPLY:
            return FetchError(.badResponse, url, text(code))
        case CURLE_BAD_CONTENT_ENCODING:
            var error = FetchError(.badResponse, url, "invalid Content-Encoding: \(text(code))")
            error.isOfCoding = true
            return error
        default:
            // The network, the proxy or this machine is the cause, and not the requested resource.
            return FetchError(.interrupted, url, text(code))
        }
    }

    /// The error if the proxy is its cause; nil if it is not.
    private func proxyError(_ code: CURLcode, _ url: String) -> FetchError? {
        guard let proxy else { return nil }
        let name = "the proxy \(withoutCredentials(proxy))"
        let answer = ccurl_get_long(handle, CURLINFO_HTTP_CONNECTCODE)
        if answer != 0, !(200..<300).contains(answer) {
            return FetchError(
                .unreachable, url, "\(name) answered CONNECT with HTTP \(answer)",
                subcode: .proxyRefused)
        }
        // After the connection to the proxy, a failure is one of the host behind it.
        guard ccurl_get_offset(handle, CURLINFO_CONNECT_TIME_T) == 0 || code == CURLE_PROXY else {
            return nil
        }
        let reason: String
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY: reason = "its name does not resolve"
        case CURLE_OPERATION_TIMEDOUT: reason = "no connection within \(connectTimeout.words)"
        case CURLE_COULDNT_CONNECT: reason = connectFailure(code)
        case CURLE_PROXY, CURLE_UNSUPPORTED_PROTOCOL: reason = text(code)
        default: return nil
        }
        return FetchError(
            .unreachable, url, "\(name) cannot be used: \(reason)", subcode: .proxyUnreachable)
    }

    private func connectFailure(_ code: CURLcode) -> String {
        let number = Int32(ccurl_get_long(handle, CURLINFO_OS_ERRNO))
        return number == 0 ? text(code) : String(cString: strerror(number)).lowercased()
    }

    private func text(_ code: CURLcode) -> String {
        let detail = String(cString: message)
        return detail.isEmpty ? String(cString: ccurl_easy_strerror(code)).lowercased() : detail
    }

    private func replace(_ list: inout UnsafeMutablePointer<curl_slist>?, by lines: [String]) {
        ccurl_slist_free_all(list)
        list = nil
        for line in lines { list = ccurl_slist_append(list, line) ?? list }
    }
}

/// The transfer of a callback's context.
private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private func receiveHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.receiveHeaderLine(line) == true ? line.count : stop(line.count)
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.receiveBody(bytes) == true ? bytes.count : stop(bytes.count)
}

/// The return value that stops libcurl after it has offered `count` bytes: any other number.
private func stop(_ count: Int) -> Int { count == 0 ? 1 : 0 }

private func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    let refused = curl_socket_t(-1)
    guard let address, let transfer = transfer(context) else { return refused }
    let target = IPAddress(
        ccurl_socket_address(address), length: Int(address.pointee.addrlen))
    guard transfer.allows(target) else { return refused }
    let type = address.pointee.socktype | closingSocket
    return socket(address.pointee.family, type, address.pointee.protocol)
}
