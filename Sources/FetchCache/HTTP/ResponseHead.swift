/// The status and fields of a response.
struct ResponseHead: Sendable, Hashable {
    /// The version as in the status line, such as `HTTP/1.1`.
    var version = "HTTP/1.1"
    var status: Int
    var fields: HeaderFields

    /// The announced length of the body; nil if it is missing or not a number.
    var contentLength: Int? { fields["Content-Length"].flatMap { Int($0) } }

    /// The head that the complete body would have, for a response with the rest of it.
    func completed(byteCount: Int) -> ResponseHead {
        guard status == 206 else { return self }
        var whole = HeaderFields(
            fields.pairs.filter {
                !["content-range", "content-length"].contains($0.name.lowercased())
            })
        whole.append(name: "Content-Length", value: String(byteCount))
        return ResponseHead(version: version, status: 200, fields: whole)
    }
}
