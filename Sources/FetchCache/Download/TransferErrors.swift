/// The text in the body of an error.
enum ErrorText {
    /// The number of bytes of a body that are examined.
    private static let examinedBytes = 1024
    /// The longest code of a service, in characters.
    private static let longestCode = 64

    /// Adds bytes of a body to those that will be examined.
    static func keep(_ bytes: UnsafeRawBufferPointer, in body: inout [UInt8]) {
        body += bytes.prefix(max(0, examinedBytes - body.count))
    }

    /// The code in an answer of S3, STS or a service like them: `<Code>AccessDenied</Code>`.
    static func serviceCode(in body: [UInt8]) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        guard text.contains("<Error"), let start = text.firstRange(of: "<Code>")?.upperBound else {
            return nil
        }
        let code = text[start...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard (1...longestCode).contains(code.count), text[code.endIndex...].hasPrefix("</Code>")
        else { return nil }
        return String(code)
    }
}

/// Recognises a server that speaks TLS where http was requested, or the other way round.
enum SchemeMismatch {
    /// Whether the body of a response with status 400 says that the port is for https.
    ///
    /// These are the words of nginx, Apache and Go's net/http; HTTP has no status for it.
    static func isOfTLSServer(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body, as: UTF8.self)
        return [
            "plain HTTP request was sent to HTTPS port",
            "speaking plain HTTP to an SSL-enabled server port",
            "Client sent an HTTP request to an HTTPS server",
        ].contains { text.contains($0) }
    }

    /// Whether the words of a failed TLS handshake are those for an answer that is not TLS: of
    /// OpenSSL from 1.1 and from 3.2 on, GnuTLS, and mbed TLS.
    static func isOfPlainServer(_ words: String) -> Bool {
        [
            "wrong version number", "packet length too long", "http request",
            "unexpected TLS packet", "invalid SSL record",
        ].contains { words.contains($0) }
    }
}
