import Baking
import FetchCache
import Foundation
import Pictures
import Records
import Reports
import Sites

/// A report for people: one HTML file that loads nothing.
///
/// Totals, failures, pages and messages are in the page as it is. The table of images is made by a
/// script, in portions, from data in the page, because a site may have ten thousand of them.
///
/// Text of a site is set as text, and a Content Security Policy forbids all requests.
struct HTMLReport {
    let report: BakeReport
    /// The messages about images that failed, as the table has them.
    let failed: [Diagnostic]
    /// The largest of the other images, as the table has them.
    let baked: [BakeReport.Image]
    /// The numbers of images, and of those that failed, of which the table may leave out some.
    private let counts: (all: Int, failed: Int)
    /// The name of the site.
    let site: String

    /// The number of rows of the tables that are in the page as it is.
    private static let mostRows = 200
    /// The number of images that a browser sorts without a pause.
    private static let mostImages = 20_000

    init(_ report: BakeReport, site: String) {
        self.report = report
        // An image that failed in several ways is one.
        var urls: Set<String> = []
        let all = report.totals.diagnostics.filter { diagnostic in
            diagnostic.isFailure && diagnostic.url.map { urls.insert($0).inserted } == true
        }
        failed = Array(all.prefix(Self.mostImages))
        let images = report.images
        let bySize = images.indices.sorted { images[$1].source.bytes < images[$0].source.bytes }
        baked = bySize.prefix(Self.mostImages - failed.count).sorted().map { images[$0] }
        counts = (all.count + images.count, all.count)
        self.site = site
    }

    /// The page: `report.html`, in which a name in double braces stands for a part.
    var text: String {
        let parts = [
            "mark": ReportFile.mark, "site": xml(site), "version": xml(ImgBake.version),
            "style": String(decoding: PackageResources.report_css, as: UTF8.self),
            "script": String(decoding: PackageResources.report_js, as: UTF8.self),
            "totals": totals, "failures": failures, "hosts": hosts, "rest": rest,
            "pages": pages, "slowest": slowest, "messages": messages, "data": data,
        ]
        return String(decoding: PackageResources.report_html, as: UTF8.self)
            .replacing(/\{\{([a-z]+)\}\}/) { parts[String($0.1)] ?? "" }
    }

    private var totals: String {
        let totals = report.totals
        let saving = totals.bytes.before - totals.bytes.after
        let percent = saving.magnitude * 100 / UInt(max(totals.bytes.before, 1))
        let saved =
            saving < 0 ? "+\(percent) %" : saving > 0 ? "\(percent) % saved" : "nothing saved"
        let errors = totals.diagnostics.count { $0.severity == .error }
        let warnings = totals.diagnostics.count { $0.severity == .warning }
        let cards = [
            ("Documents", totals.documents.grouped, "\(totals.rewritten.grouped) rewritten"),
            ("Images", counts.all.grouped, totals.references.of("reference")),
            ("Failed", counts.failed.grouped, "of \(counts.all.grouped)"),
            ("Size before", totals.bytes.before.asBytes, "of all sources"),
            ("Size after", totals.bytes.after.asBytes, saved),
            ("Messages", errors.of("error"), warnings.of("warning")),
            ("Time", totals.seconds.asSeconds, "\(totals.images.fetched.grouped) fetched"),
        ]
        let items = cards.map { name, value, note in
            let kind = note.hasPrefix("+") ? " class=\"loss\"" : ""
            return "<div><dt>\(name)</dt><dd><strong>\(xml(value))</strong> "
                + "<span\(kind)>\(xml(note))</span></dd></div>\n"
        }
        return section("totals", "Totals", "<dl class=\"cards\">\n\(items.joined())</dl>")
    }

    private var failures: String {
        let failures = report.totals.failures
        if failures.isEmpty {
            return section("failures", "Failures by host", "<p>No image failed.</p>")
        }
        let rows = failures.map { [$0.host, $0.images.grouped, $0.reason, $0.code.rawValue] }
        return section(
            "failures", "Failures by host",
            table(["Host", "Images", "Reason", "Code"], rows, numbers: [1], of: "failures"))
    }

    /// The choices of the filter by host.
    private var hosts: String {
        let hosts = Set(report.images.compactMap(\.host) + report.totals.failures.map(\.host))
        return hosts.sorted().map { "<option>\(xml($0))</option>" }.joined()
    }

    private var rest: String {
        let restCount = counts.all - failed.count - baked.count
        if restCount == 0 { return "" }
        return "<p>\(restCount.of("smaller image")) not listed; a report in JSON has all.</p>\n"
    }

    private var pages: String {
        let rows = report.pages.prefix(Self.mostRows).map { page in
            [
                page.document, page.images.grouped, page.before.asBytes, page.after.asBytes,
            ]
        }
        let body =
            rows.isEmpty
            ? "<p>No document has images.</p>"
            : table(
                ["Document", "Images", "Before", "After"], rows, numbers: [1, 2, 3], of: "pages",
                more: report.pages.count - rows.count)
        return section("pages", "Sizes by page", body)
    }

    private var slowest: String {
        let slow = report.images.filter { $0.seconds > 0 }.sorted {
            ($1.seconds, $0.url) < ($0.seconds, $1.url)
        }
        if slow.isEmpty { return "" }
        let rows = slow.prefix(20).map { [$0.url, $0.seconds.asSeconds, $0.source.bytes.asBytes] }
        return section(
            "slowest", "Slowest images",
            table(["Image", "Time", "Before"], rows, numbers: [1, 2], of: "slowest images"))
    }

    private var messages: String {
        let all = report.totals.diagnostics
        if all.isEmpty { return "" }
        let rows = all.prefix(Self.mostRows).map { diagnostic in
            [
                diagnostic.severity.rawValue, diagnostic.places.first?.text ?? "",
                diagnostic.url ?? "", diagnostic.reason, diagnostic.remedy,
            ]
        }
        return section(
            "messages", "Messages",
            table(
                ["Severity", "Place", "Image", "Reason", "Help"], rows, numbers: [],
                of: "messages", more: all.count - rows.count))
    }

    private func section(_ id: String, _ title: String, _ body: String) -> String {
        "<section aria-labelledby=\"\(id)\">\n<h2 id=\"\(id)\" tabindex=\"-1\">\(title)</h2>\n"
            + "\(body)\n</section>\n"
    }

    private func table(
        _ headings: [String], _ rows: [[String]], numbers: Set<Int>, of name: String,
        more: Int = 0
    ) -> String {
        func kind(_ index: Int) -> String { numbers.contains(index) ? " class=\"number\"" : "" }
        let head = headings.enumerated().map { "<th scope=\"col\"\(kind($0))>\($1)</th>" }
        let body = rows.map { cells in
            let cells = cells.enumerated().map { "<td\(kind($0))>\(xml($1))</td>" }
            return "<tr>\(cells.joined())</tr>\n"
        }
        let rest = more > 0 ? "\n<p>and \(more.grouped) more</p>" : ""
        return
            "<div class=\"scroll\" role=\"region\" aria-label=\"Table of \(name)\" tabindex=\"0\">"
            + "<table>\n<thead><tr>\(head.joined())</tr></thead>\n<tbody>\n\(body.joined())</tbody>\n"
            + "</table></div>\(rest)"
    }
}

extension HTMLReport {
    /// An image, as the script reads it.
    private struct Row: Encodable {
        var url: String
        var host: String?
        /// The reason of the failure; nil for an image that was baked.
        var failure: String?
        var before: Int?
        var after: Int?
        var formats: String?
        var size: String?
        /// For sorting.
        var pixels: Int?
        var seconds: Double?
        var files: [String]?
        /// The first of its places.
        var places: [String]
        var placeCount: Int
        /// Pictures as `data:` URLs.
        var thumbnail: String?
        var original: String?
        var baked: String?
    }

    /// The number of places that are listed for an image.
    private static let mostPlaces = 50

    /// The images as JSON that can be the content of a `script` element.
    var data: String {
        let rows = failed.map(row) + baked.map(row)
        // No text of a site can end the element. Bytes are split, because some characters can form
        // one `Character` with the `<` after them.
        let parts = canonicalText(of: rows).utf8.split(
            separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
        return String(decoding: Array(parts.joined(separator: "\\u003C".utf8)), as: UTF8.self)
    }

    private func row(_ failure: Diagnostic) -> Row {
        Row(
            url: failure.url ?? "", host: failure.url.flatMap(hostName),
            failure: "\(failure.reason) [\(failure.code.rawValue)]",
            places: failure.places.prefix(Self.mostPlaces).map(\.text),
            placeCount: failure.places.count)
    }

    private func row(_ image: BakeReport.Image) -> Row {
        let source = image.source
        let first = image.variants.first
        return Row(
            url: image.url, host: image.host, before: source.bytes, after: image.after,
            formats: [source.format, first?.format ?? ""].joined(separator: " → "),
            size: source.width > 0 ? "\(source.width) × \(source.height)" : nil,
            pixels: source.width * source.height,
            seconds: image.seconds > 0 ? image.seconds : nil,
            files: image.variants.map {
                "\($0.file) (\($0.width) × \($0.height), \($0.bytes.asBytes))"
            },
            places: image.uses.prefix(Self.mostPlaces).map(\.text), placeCount: image.uses.count,
            thumbnail: image.pictures.thumbnail?.url, original: image.pictures.before?.url,
            baked: image.pictures.after?.url)
    }
}

extension ImagePictures.Picture {
    /// The picture as a `data:` URL.
    fileprivate var url: String {
        "data:\(mediaType);base64,\(Data(bytes).base64EncodedString())"
    }
}
