import NIOHTTP1

/// The response to one request, computed from a route, the conditions and the range.
struct OriginAnswer {
    var head: HTTPResponseHead
    var body: [UInt8]
    var delivery: OriginRoute.Delivery
    var delay: Duration
    var gate: OriginGate?
    var resetGate: OriginGate?

    init(to request: OriginRequest, by route: OriginRoute) {
        delay = route.delay
        gate = route.gate
        resetGate = route.resetGate
        delivery = route.delivery
        body = route.body
        var status = route.status
        var fields = HTTPHeaders(route.headers.map { ($0.name, $0.value) })
        if let etag = route.etag { fields.add(name: "ETag", value: etag) }
        if let date = route.lastModified { fields.add(name: "Last-Modified", value: date) }
        if let value = route.cacheControl { fields.add(name: "Cache-Control", value: value) }

        if status == 200, Self.isUnchanged(route, request) {
            status = 304
            body = []
        } else if status == 200, let range = Self.range(route, request) {
            status = 206
            body = Array(route.body[range])
            fields.add(
                name: "Content-Range",
                value: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(route.body.count)")
        }
        if status != 304, let type = route.contentType {
            fields.add(name: "Content-Type", value: type)
        }
        if Self.announcesLength(delivery), status != 304 {
            fields.add(name: "Content-Length", value: String(body.count))
        }
        if status == 304 || request.method == "HEAD" {
            body = []
            if delivery != .silent, delivery != .reset(after: nil) { delivery = .whole }
        }
        let version: HTTPVersion = delivery == .closeDelimited ? .http1_0 : .http1_1
        if delivery == .closeDelimited { fields.add(name: "Connection", value: "close") }
        head = HTTPResponseHead(
            version: version, status: HTTPResponseStatus(statusCode: status), headers: fields)
    }

    private static func announcesLength(_ delivery: OriginRoute.Delivery) -> Bool {
        switch delivery {
        case .chunked, .chunkedCut, .closeDelimited: false
        default: true
        }
    }

    private static func isUnchanged(_ route: OriginRoute, _ request: OriginRequest) -> Bool {
        if let condition = request.header("If-None-Match") {
            return route.etag.map { condition.contains($0) } ?? false
        }
        guard let date = request.header("If-Modified-Since") else { return false }
        return date == route.lastModified
    }

    /// The range of `bytes=N-` or `bytes=N-M`, if ranges are enabled and If-Range matches.
    private static func range(_ route: OriginRoute, _ request: OriginRequest) -> Range<Int>? {
        guard route.acceptsRanges, let range = request.header("Range"), range.hasPrefix("bytes=")
        else { return nil }
        if let condition = request.header("If-Range"),
            condition != route.etag, condition != route.lastModified
        {
            return nil
        }
        let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), first < route.body.count else {
            return nil
        }
        let last = Int(ends[1]) ?? route.body.count - 1
        guard last >= first else { return nil }
        return first..<min(last + 1, route.body.count)
    }
}
