import Foundation

/// Serves a folder on loopback as a static site host does.
///
/// The page of a folder is its `index.html`. The URL of a folder without a slash at the end is
/// redirected to the URL with one. Hidden files are served like others. Missing files get 404.
package final class SiteServer: Sendable {
    /// The URL of the folder without a slash at the end.
    package let url: String
    /// The server; a route of it takes precedence over the file of its path.
    package let origin: Origin

    /// Starts a server.
    ///
    /// `basePath` is the URL path of the folder, as in `/blog/`; all other paths get 404.
    package static func start(_ folder: String, basePath: String = "/") async throws -> SiteServer {
        let origin = try await Origin.start()
        let trimmed = basePath.split(separator: "/").joined(separator: "/")
        let base = trimmed.isEmpty ? "" : "/" + trimmed
        origin.handleRest { request in
            StaticFolder(path: folder, base: base).answer(request.path)
        }
        return SiteServer(origin: origin, url: origin.url + base)
    }

    private init(origin: Origin, url: String) {
        self.origin = origin
        self.url = url
    }

    /// Every request so far, in the order of arrival.
    package var requests: [OriginRequest] { origin.requests }

    /// Stops listening and closes every connection.
    package func shutdown() async { await origin.shutdown() }
}

/// The responses of a static site host by path.
private struct StaticFolder {
    var path: String
    /// The base path without a slash at the end; empty for the root.
    var base: String

    func answer(_ requested: String) -> OriginRoute {
        guard let decoded = requested.removingPercentEncoding,
            decoded.hasPrefix(base + "/") || decoded == base
        else { return .status(404) }
        let relative = decoded.dropFirst(base.count)
        guard !relative.split(separator: "/").contains("..") else { return .status(404) }
        var file = path + relative
        var isFolder = false
        guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else {
            return .status(404)
        }
        if isFolder {
            guard requested.hasSuffix("/") else {
                return .redirect(to: requested + "/", status: 301)
            }
            file += "index.html"
        }
        guard let bytes = try? FileBytes.read(file) else { return .status(404) }
        let fileExtension = file.split(separator: ".").last.map { $0.lowercased() } ?? ""
        let type = Self.mediaTypes[fileExtension] ?? "application/octet-stream"
        return OriginRoute(bytes, contentType: type)
    }

    /// The media types by file extension, as in nginx.
    private static let mediaTypes: [String: String] = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
        "xhtml": "application/xhtml+xml", "css": "text/css", "js": "text/javascript",
        "mjs": "text/javascript", "json": "application/json", "xml": "application/xml",
        "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "jxl": "image/jxl",
        "ico": "image/x-icon", "bmp": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "pdf": "application/pdf", "mp4": "video/mp4", "webm": "video/webm",
    ]
}
