import Baking
import Foundation
import Measuring
import Sites
import TestSupport
import Testing

/// In windows that were not measured, the widths of 99 % of the images are predicted within two pixels
/// or one percent.
@Suite(.timeLimit(.minutes(10)), .needs(.chromium))
struct MeasureThemeTests {
    private static let windows = [
        340, 393, 480, 540, 640, 720, 820, 991, 1100, 1366, 1536, 2200,
    ]

    /// The place of each image, its width, and its natural one; that of an attribute is negative.
    private static let widths = """
        [...document.querySelectorAll("img[\(MeasuredSite.attribute)]")].map(image => {
            const style = getComputedStyle(image);
            return [
                parseFloat(image.getAttribute("\(MeasuredSite.attribute)")),
                style.boxSizing === "border-box"
                    ? parseFloat(style.width) - parseFloat(style.paddingLeft)
                        - parseFloat(style.paddingRight) - parseFloat(style.borderLeftWidth)
                        - parseFloat(style.borderRightWidth)
                    : parseFloat(style.width),
                /^\\d+$/.test(image.getAttribute("width") || "")
                    ? -parseFloat(image.getAttribute("width")) : image.naturalWidth,
            ];
        })
        """

    @Test(.needs(.sphinx), arguments: [LookTheme.alabaster, .classic])
    func sphinx(theme: LookTheme) async throws { try await expectPredictions(of: theme) }

    @Test(.needs(.mkdocs), arguments: [LookTheme.mkdocs, .readthedocs, .material])
    func mkDocs(theme: LookTheme) async throws { try await expectPredictions(of: theme) }

    @Test(.needs(.pandoc))
    func pandoc() async throws { try await expectPredictions(of: .pandoc) }

    private func expectPredictions(of theme: LookTheme) async throws {
        _ = try theme.tool.required()
        let source = try await LookSite.shared.source()
        let site = source.folder.path("site/themes/\(theme.rawValue)")
        let folder = try TemporaryDirectory()
        let measure = ["measure", site, "--sizes-file", "sizes.json", "--page-timeout", "2m"]
        for words in [["prefetch", site], measure] {
            let result = try await Command.run(
                Command.built("imgbake"), words + ["--allow-private-network", "--no-config"],
                environment: ["IMGBAKE_CACHE_DIR": folder.path("cache")], directory: folder.path)
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        let sizes = try #require(try SizesFile.read(folder.path("sizes.json"), named: "sizes.json"))
        let measured = try await MeasuredSite(
            SiteInput(
                folder: site, displayName: "site", skipped: [], reading: ReadingOptions())
        ) { _ in }
        try FileManager.default.copyItem(atPath: site, toPath: folder.path("copy"))
        guard case .content(let page, _) = measured.file(at: measured.url(of: "index.html"))
        else { throw GeneratorError(reason: "\(theme) has no page") }
        try folder.write(page, to: "copy/index.html")
        let server = try await SiteServer.start(folder.path("copy"))
        var count = 0
        var misses: [String] = []
        for window in Self.windows {
            let shown: [[Double]] = try await Browser.shared.load(
                server.url + "/index.html", viewport: Viewport(width: window, height: 800)
            ).evaluate(Self.widths)
            #expect(shown.count >= 4)
            for image in shown where image[1] > 0 {
                let place = measured.places[Int(image[0])]
                let group = try #require(sizes.index(of: place).map { sizes.groups[$0] })
                let natural = image[2] < 0 ? -image[2] - group.inset : image[2]
                let predicted = group.width(in: Double(window), natural: natural)
                count += 1
                if abs(predicted - image[1]) > max(2, image[1] / 100) {
                    misses.append("\(window) \(place): \(image[1]), not \(predicted)")
                }
            }
        }
        #expect(misses.count * 100 <= count, "\(misses.count) of \(count): \(misses.prefix(40))")
    }
}
