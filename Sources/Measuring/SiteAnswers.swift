import Baking
import DevTools
import Foundation
import Locks
import Sites

/// Answers the requests of the browser.
///
/// The answers are files of the site, and images of other hosts in the cache. All other requests
/// fail.
///
/// The browser pauses each request and asks over its pipe, so there is no server and no port that
/// another program could reach.
final class SiteAnswers: Sendable {
    private let site: MeasuredSite
    private let image: SiteMeasurement.ImageLocation
    private let refusedSheets = Locked<Set<String>>([])

    init(_ site: MeasuredSite, image: @escaping SiteMeasurement.ImageLocation) {
        self.site = site
        self.image = image
    }

    /// The style sheets of other hosts that were asked for since the last call.
    func takeRefusedSheets() -> [String] {
        refusedSheets.withLock { sheets in
            defer { sheets = [] }
            return sheets.sorted()
        }
    }

    private struct Event: Decodable {
        var params: Parameters

        struct Parameters: Decodable {
            var requestId: String
            var request: Request
            var resourceType: String
        }
        struct Request: Decodable { var url: String }
    }

    /// Answers a paused request.
    func answer(_ message: Data, _ session: String, _ devTools: DevTools) {
        guard let event = try? JSONDecoder().decode(Event.self, from: message).params else {
            return
        }
        Task { [self] in
            let parameters = await parameters(for: event)
            let method =
                parameters["responseCode"] == nil ? "Fetch.failRequest" : "Fetch.fulfillRequest"
            devTools.post(
                method, parameters.merging(["requestId": .string(event.requestId)]) { $1 },
                session: session)
        }
    }

    private func parameters(for event: Event.Parameters) async -> [String: JSONValue] {
        // A film has no part in the layout, and may be large.
        if event.resourceType == "Media" { return Self.failure }
        switch site.file(at: event.request.url) {
        case .content(let bytes, let path):
            return Self.response(200, bytes, Self.mediaType(of: path))
        case .folder:
            let url = event.request.url.prefix { !"?#".contains($0) }
            return [
                "responseCode": 301,
                "responseHeaders": [["name": "Location", "value": .string(url + "/")]],
            ]
        case .remote(let key) where event.resourceType == "Image":
            guard let (bytes, type) = await image(key) else { return Self.failure }
            return Self.response(200, bytes, type)
        case .remote(let key):
            if event.resourceType == "Stylesheet", !SiteStyles.hasFontsOnly(key) {
                refusedSheets.withLock { _ = $0.insert(key) }
            }
            return Self.failure
        case .missing: return Self.response(404, [], "text/plain")
        }
    }

    /// A page stays when it cannot load another one.
    private static let failure: [String: JSONValue] = ["errorReason": "Aborted"]

    private static func response(
        _ status: Double, _ bytes: [UInt8], _ type: String
    ) -> [String: JSONValue] {
        [
            "responseCode": .number(status),
            "responseHeaders": [
                ["name": "Content-Type", "value": .string(type)],
                ["name": "Access-Control-Allow-Origin", "value": "*"],
            ],
            "body": .string(Data(bytes).base64EncodedString()),
        ]
    }

    private static func mediaType(of path: String) -> String {
        let end = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return mediaTypes[end] ?? "application/octet-stream"
    }

    /// The media types by file extension, as in nginx.
    private static let mediaTypes: [String: String] = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
        "xhtml": "application/xhtml+xml",
        "css": "text/css", "js": "text/javascript", "mjs": "text/javascript",
        "json": "application/json", "xml": "text/xml", "txt": "text/plain",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "jxl": "image/jxl",
        "ico": "image/x-icon", "bmp": "image/bmp", "woff": "font/woff", "woff2": "font/woff2",
        "ttf": "font/ttf", "otf": "font/otf", "wasm": "application/wasm",
    ]
}
