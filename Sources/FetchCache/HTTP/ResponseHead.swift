/// Status and fields of a response.
struct ResponseHead: Sendable, Hashable {
    /// As in the status line: `HTTP/1.1`.
    var version = "HTTP/1.1"
    var status: Int
    var fields: HeaderFields

    /// The length of the body as announced; nil if it is not, or is no number.
    var contentLength: Int? { fields["Content-Length"].flatMap { Int($0) } }

    /// The head as it would be of the whole body, if the server sent the rest of one.
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
