import Foundation
import TestSupport
import Testing

/// A project that its generator builds, and everything that follows the URLs of its images: pages in
/// a browser, and feeds.
///
/// `ORIGIN` in its files is the server of the images, `SITE/` the address of the built site, and
/// `HOST` that of its host.
struct BuiltProject {
    let site: TestSite
    private let build: GeneratorExample.Build
    private let origin: Origin
    private let server: SiteServer

    /// What pages and feeds show.
    struct Shown: Equatable {
        /// The numbers of images that load, by page or feed.
        var whole: [String: Int] = [:]
        /// The images that do not load.
        var broken: [String] = []
        /// The images of the site itself.
        var localCount = 0
        /// The images of other hosts.
        var remote: [String] = []
    }

    init(_ build: GeneratorExample.Build, _ files: [String: String]) async throws {
        self.build = build
        origin = try await Origin.start()
        for seed in 1...6 {
            origin["/\(seed).png"] = .init(
                try Pictures.scene(width: 64, height: 48, seed: UInt64(seed), as: "png"))
        }
        site = try TestSite([:])
        server = try await SiteServer.start(
            site.folder.path("site/" + build.folder), basePath: build.basePath)
        let address = server.url.hasSuffix("/") ? server.url : server.url + "/"
        let host = address.split(separator: "/").prefix(2).joined(separator: "//")
        for (path, text) in files {
            try site.restore([
                path: text.replacing("ORIGIN", with: origin.url).replacing("SITE/", with: address)
                    .replacing("HOST", with: host)
            ])
        }
    }

    /// Builds the project and follows its URLs.
    func shown() async throws -> Shown {
        try? FileManager.default.removeItem(atPath: site.folder.path("site/" + build.folder))
        let result = try await Command.run(
            build.tool.required(), build.arguments, environment: ["LC_ALL": "C.UTF-8"],
            directory: site.folder.path("site"))
        try #require(result.exitCode == 0, "\(result.errors) \(result.output)")
        var shown = Shown()
        for path in try site.folder.files(below: "site/" + build.folder).sorted() {
            if path.hasSuffix(".html") { try await addPage(path, to: &shown) }
            if path.hasSuffix(".xml"), !path.hasSuffix("sitemap.xml") {
                try await addFeed(path, to: &shown)
            }
        }
        return shown
    }

    private var address: String { server.url.hasSuffix("/") ? server.url : server.url + "/" }

    private func addPage(_ path: String, to shown: inout Shown) async throws {
        let page = try await Browser.shared.load(address + path)
        for request in page.requests where request.kind == "Image" {
            if request.url.hasPrefix(address) {
                shown.localCount += request.hasSucceeded ? 1 : 0
            } else if !request.url.hasPrefix("data:") {
                shown.remote.append("\(path): \(request.url)")
            }
            if !request.hasSucceeded { shown.broken.append("\(path): \(request.url)") }
        }
        let boxes = try await page.imageBoxes()
        shown.whole[path] = boxes.count(where: \.isComplete)
    }

    private func addFeed(_ path: String, to shown: inout Shown) async throws {
        let result = try await Command.run(
            ExternalTool.python.required(), ["-c", Self.feedReader, address + path],
            directory: site.folder.path)
        try #require(result.exitCode == 0, "\(result.errors)")
        for line in result.output.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words[0] == "200" {
                shown.whole[path, default: 0] += 1
                if words[1].hasPrefix(address) {
                    shown.localCount += 1
                } else {
                    shown.remote.append("\(path): \(words[1])")
                }
            } else {
                shown.broken.append("\(path): \(words[1])")
            }
        }
    }

    /// Prints the status and the URL of each image of a feed, as a feed reader resolves it: from
    /// `xml:base`, else from the link of the entry.
    private static let feedReader = """
        import sys, urllib.request, urllib.error, html.parser, xml.etree.ElementTree as tree
        from urllib.parse import urljoin
        feed = sys.argv[1]
        def tell(url):
            try: print(urllib.request.urlopen(url).status, url)
            except urllib.error.HTTPError as error: print(error.code, url)
            except Exception: print(0, url)
        class Images(html.parser.HTMLParser):
            def handle_starttag(self, name, attributes):
                for key, value in attributes:
                    if name == 'img' and key == 'src': tell(urljoin(self.base, value))
        def walk(element, base):
            base = urljoin(base, element.get('{http://www.w3.org/XML/1998/namespace}base', ''))
            if element.tag.split('}')[-1] in ('item', 'entry'):
                for child in element:
                    if child.tag.split('}')[-1] == 'link':
                        base = urljoin(base, child.get('href') or child.text or '')
            for child in element:
                if child.tag.split('}')[-1] in ('enclosure', 'thumbnail'):
                    tell(urljoin(base, child.get('url', '')))
                images = Images()
                images.base = base
                images.feed(child.text or '')
                walk(child, base)
        walk(tree.fromstring(urllib.request.urlopen(feed).read()), feed)
        """
}
