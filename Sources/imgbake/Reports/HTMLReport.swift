import Baking
import FetchCache
import Foundation
import Pictures
import Records
import Reports

/// A report for people: one HTML file that loads nothing.
///
/// The totals are in the page as it is. A script makes the tables from data in the page, that of images
/// in portions, because a site may have ten thousand of them.
///
/// Text of a site is set as text, and a Content Security Policy forbids all requests.
struct HTMLReport {
    private let report: BakeReport
    /// The messages about images that failed, as the table has them.
    private let failed: [Diagnostic]
    /// The largest of the other images, as the table has them.
    private let baked: [BakeReport.Image]
    /// The numbers of images, and of those that failed, of which the table may leave out some.
    private let counts: (all: Int, failed: Int)
    /// The name of the site.
    private let site: String

    /// The number of rows of the other tables.
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
            "totals": totals, "data": data,
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
        return items.joined()
    }
}

extension HTMLReport {
    /// What the script reads.
    private struct Content: Encodable {
        var images: [Row]
        /// The number of images that are not in ``images``.
        var unlisted: Int
        var failures: [HostFailures]
        var pages: [BakeReport.Page]
        var pageCount: Int
        var messages: [Diagnostic]
        var messageCount: Int
    }

    /// An image.
    private struct Row: Encodable {
        var url: String
        var host: String?
        /// The reason of the failure; nil for an image that was baked.
        var failure: String?
        var source: ImageManifest.Source?
        var variants: [ImageManifest.Variant]?
        var seconds: Double?
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

    /// The content as JSON that can be the content of a `script` element.
    private var data: String {
        let content = Content(
            images: failed.map(row) + baked.map(row),
            unlisted: counts.all - failed.count - baked.count, failures: report.totals.failures,
            pages: Array(report.pages.prefix(Self.mostRows)), pageCount: report.pages.count,
            messages: Array(report.totals.diagnostics.prefix(Self.mostRows)),
            messageCount: report.totals.diagnostics.count)
        // No text of a site can end the element. Bytes are split, because some characters can form
        // one `Character` with the `<` after them.
        let parts = canonicalText(of: content).utf8.split(
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
        Row(
            url: image.url, host: image.host, source: image.source, variants: image.variants,
            seconds: image.seconds > 0 ? image.seconds : nil,
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
