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
