import Foundation
import ImageFormats
import Imaging
import Recipes
import TestSupport

/// Random SVG documents that are made safe and then opened in Chromium as documents of their own.
struct SVGFuzzRun {
    /// The documents of a page; each is in a frame.
    private static let framesPerPage = 250

    /// The number of documents that can be published.
    private(set) var published = 0
    private(set) var refused = 0
    /// The scripts that ran and the requests for anything but the documents.
    private(set) var breaches: [String] = []
    private let processor: ImageProcessor
    private let folder: TemporaryDirectory

    init() throws {
        processor = try ImageProcessor()
        folder = try TemporaryDirectory()
    }

    /// Tries `count` documents that can be published.
    mutating func run(seed: UInt64, count: Int) async throws {
        var grammar = SVGGrammar(seed: seed)
        while published < count {
            var names: [String] = []
            while names.count < min(Self.framesPerPage, count - published) {
                guard let bytes = try result(of: grammar.document()) else {
                    refused += 1
                    continue
                }
                names.append("\(published + names.count).svg")
                try folder.write(bytes, to: names[names.count - 1])
            }
            try await openFrames(of: names)
            published += names.count
            for name in names { try FileManager.default.removeItem(atPath: folder.path(name)) }
        }
    }

    /// The bytes that are published for a document; nil if it is refused.
    private func result(of document: [UInt8]) throws -> [UInt8]? {
        try folder.write(document, to: "input")
        try folder.write([], to: "output")
        let source = open(folder.path("input"), O_RDONLY | O_CLOEXEC)
        let output = open(folder.path("output"), O_RDWR | O_CLOEXEC)
        defer {
            close(source)
            close(output)
        }
        let answer = processor.answer(
            to: Job([VariantOptions()]), source: source, outputs: [output])
        guard case .image(let image) = answer else { return nil }
        switch image.variants.first {
        case .made(let made): return made.variant.isSource ? document : try folder.bytes("output")
        case .notMade: return document
        case .failure, nil: return nil
        }
    }

    /// Opens documents in the frames of one page, and clicks their links.
    private mutating func openFrames(of names: [String]) async throws {
        let frames = names.map { "<iframe src='\($0)' width='50' height='50'></iframe>" }
        try folder.write(
            "<!doctype html><body style=margin:0>\(frames.joined())", to: "index.html")
        let server = try await SiteServer.start(folder.path)
        let page = try await Browser.shared.load(server.url + "/", limit: .seconds(300))
        let clicks: Int = try await page.evaluate(Self.clickLinks)
        try await Task.sleep(for: .milliseconds(200))
        let ran: Int = try await page.evaluate("window.ran || 0")
        if ran > 0 { breaches.append("\(ran) scripts in \(names[0])…, \(clicks) links") }
        let known = Set(names.map { "/\($0)" } + ["/", "/favicon.ico"])
        var paths = server.requests.map(\.path)
        breaches += paths.filter { !known.contains($0) }
        // A document that is requested twice has requested itself.
        paths.removeAll { $0 == "/" || $0 == "/favicon.ico" || !known.contains($0) }
        breaches += Dictionary(grouping: paths) { $0 }.filter { $1.count > 1 }.map(\.key)
        let host = server.url.dropFirst("http://".count)
        breaches += page.requests.filter { $0.host != nil && $0.host != String(host) }.map(\.url)
    }

    private static let clickLinks = """
        [...document.querySelectorAll('iframe')].reduce((count, frame) => {
            const links = frame.contentDocument?.getElementsByTagNameNS('*', 'a') ?? [];
            for (const link of links) {
                link.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
            }
            return count + links.length;
        }, 0)
        """
}
