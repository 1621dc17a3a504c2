/// The response of the origin at one path.
package struct OriginRoute: Sendable {
    /// The way in which the bytes of a response are sent.
    package enum Delivery: Sendable, Equatable {
        /// All at once with a Content-Length.
        case whole
        /// All at once in chunks, without a Content-Length.
        case chunked
        /// All at once without any length; the connection is closed at the end.
        case closeDelimited
        /// `piece` bytes, then a pause, and so on to the end.
        case drip(piece: Int, pause: Duration)
        /// The header and the first bytes, then nothing, while the connection stays open.
        case stalled(after: Int)
        /// Nothing, not even a header; the connection stays open.
        case silent
        /// The first bytes of the announced Content-Length; then the connection is closed.
        case truncated(after: Int)
        /// The first bytes in chunks; then the connection is closed without the last chunk.
        case chunkedCut(after: Int)
        /// The header and the first bytes, then a TCP reset; nil resets before the header.
        case reset(after: Int?)
    }

    /// The status code, 200 by default.
    package var status = 200
    package var body: [UInt8] = []
    package var contentType: String?
    /// The entity tag with its quotes; a matching If-None-Match gets 304.
    package var etag: String?
    /// An HTTP date; an equal If-Modified-Since gets 304, unless there is an If-None-Match.
    package var lastModified: String?
    package var cacheControl: String?
    /// Additional header fields, also sent with 304.
    package var headers: [(name: String, value: String)] = []
    package var delivery = Delivery.whole
    /// A gate that holds back the response until it is opened; nil, the default, for none.
    package var gate: OriginGate?
    /// A gate that holds back the reset of ``Delivery/reset(after:)`` once the first bytes are
    /// sent; nil, the default, for a short delay.
    package var resetGate: OriginGate?
    /// The delay before anything is sent.
    package var delay: Duration = .zero
    /// Whether a Range request gets 206; false by default.
    package var acceptsRanges = false

    package init(
        _ body: [UInt8] = [], contentType: String? = nil, etag: String? = nil,
        lastModified: String? = nil, cacheControl: String? = nil, delivery: Delivery = .whole
    ) {
        self.body = body
        self.contentType = contentType
        self.etag = etag
        self.lastModified = lastModified
        self.cacheControl = cacheControl
        self.delivery = delivery
    }

    /// A response with `status` and a short text that is not an image.
    package static func status(
        _ status: Int, headers: [(name: String, value: String)] = []
    ) -> OriginRoute {
        var route = OriginRoute(Array("status \(status)\n".utf8), contentType: "text/plain")
        route.status = status
        route.headers = headers
        return route
    }

    /// A redirect to `location`, which may be relative.
    package static func redirect(to location: String, status: Int = 302) -> OriginRoute {
        .status(status, headers: [("Location", location)])
    }

    /// An HTML page.
    package static func page(_ html: String) -> OriginRoute {
        OriginRoute(Array(html.utf8), contentType: "text/html; charset=utf-8")
    }
}

extension OriginRoute: CustomStringConvertible {
    /// A short text for the names of test cases.
    package var description: String {
        "\(status) \(contentType ?? "-") \(body.count) bytes \(delivery)"
    }
}

/// A request that the origin has received.
package struct OriginRequest: Sendable {
    package var method: String
    /// The path with its query, as in the request line.
    package var target: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8] = []

    /// The path without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The value of the first field of a name; case does not matter.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
