import TestSupport
import Testing

/// Tests of the server that the other tests use.
@Suite(.timeLimit(.minutes(10)))
struct OriginTests {
    private func get(
        _ path: String, _ origin: Origin, _ fields: String = "", patience: Int = 30_000
    ) -> (text: String, end: RawClient.End) {
        RawClient.exchange(
            "GET \(path) HTTP/1.1\r\nHost: x\r\n\(fields)Connection: close\r\n\r\n",
            port: origin.port, patience: patience)
    }

    @Test func answersByPathAndCounts() async throws {
        let origin = try await Origin.start()
        origin["/a"] = OriginRoute(Array("hello".utf8), contentType: "image/png")
        origin["/a?size=2"] = OriginRoute(Array("large".utf8))
        origin.handle("/echo") { OriginRoute(Array($0.target.utf8)) }

        #expect(get("/a", origin).text.hasSuffix("\r\n\r\nhello"))
        #expect(get("/a?size=1", origin).text.hasSuffix("hello"))
        #expect(get("/a?size=2", origin).text.hasSuffix("large"))
        #expect(get("/echo?x", origin).text.hasSuffix("/echo?x"))
        #expect(get("/none", origin).text.hasPrefix("HTTP/1.1 404 "))
        #expect(origin.requestCount(for: "/a") == 3)
        #expect(origin.requestCount(for: "/a?size=2") == 1)
        #expect(origin.maximumSimultaneousPerHost == ["x": 1])
    }

    @Test func comparesValidators() async throws {
        let origin = try await Origin.start()
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        origin["/a"] = OriginRoute([1], etag: "\"v1\"", lastModified: date)

        #expect(get("/a", origin, "If-None-Match: \"v1\"\r\n").text.hasPrefix("HTTP/1.1 304 "))
        #expect(get("/a", origin, "If-None-Match: \"v2\"\r\n").text.hasPrefix("HTTP/1.1 200 "))
        #expect(get("/a", origin, "If-Modified-Since: \(date)\r\n").text.hasPrefix("HTTP/1.1 304 "))
    }

    @Test(arguments: [
        (OriginRoute.Delivery.whole, true, RawClient.End.closed),
        (.chunked, true, .closed),
        (.closeDelimited, true, .closed),
        (.drip(piece: 3, pause: .milliseconds(5)), true, .closed),
        (.truncated(after: 3), false, .closed),
        (.chunkedCut(after: 3), false, .closed),
        (.stalled(after: 3), false, .quiet),
        (.silent, false, .quiet),
        (.reset(after: nil), false, .reset),
        (.reset(after: 3), false, .reset),
    ])
    func delivers(_ delivery: OriginRoute.Delivery, isWhole: Bool, end: RawClient.End) async throws
    {
        let origin = try await Origin.start()
        origin["/a"] = OriginRoute(Array("0123456789".utf8), delivery: delivery)
        // Only a reply that does not end is waited for in vain.
        let answer = get("/a", origin, patience: end == .quiet ? 300 : 30_000)
        let body = answer.text.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
        #expect(body.contains("789") == isWhole)
        #expect(answer.end == end)
    }

    @Test func servesRanges() async throws {
        let origin = try await Origin.start()
        var route = OriginRoute(Array("0123456789".utf8), etag: "\"v1\"")
        route.acceptsRanges = true
        origin["/a"] = route
        let part = get("/a", origin, "Range: bytes=4-\r\nIf-Range: \"v1\"\r\n").text
        #expect(part.hasPrefix("HTTP/1.1 206 "))
        #expect(part.contains("Content-Range: bytes 4-9/10\r\n"))
        #expect(part.hasSuffix("\r\n\r\n456789"))
        #expect(
            get("/a", origin, "Range: bytes=4-\r\nIf-Range: \"v0\"\r\n").text.hasSuffix(
                "0123456789"))
    }
}
