import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pictures

@Suite struct NameDensityTests {
    @Test(
        arguments: [
            ("https://h/logo@2x.png", 2), ("https://h/a/logo%403x.webp?v=1#f", 3),
            ("file://site/logo@1.5X.png", 1.5), ("https://h/logo@2x", 2),
            ("https://h/logo.png", nil), ("https://h/logo@2x/a.png", nil),
            ("https://h/me@x.png", nil), ("https://h/@2x.png", nil), ("https://h/a@0x.png", nil),
            ("https://h/a@20x.png", nil), ("https://h/a2x.png", nil), ("https://h/a@-2x.png", nil),
            ("https://h", nil), ("", nil), ("https://h/a.png?v=@2x.png", nil),
            ("https://h/a.png#@2x.png", nil), ("https://h/a@2x.png?b/c", 2),
            ("https://h/a@2x.png#b/c?", 2), ("https://h/a@1x.png", 1), ("https://h/a@9x.png", 9),
            ("https://h/a@10x.png", nil), ("https://h/a@0.9x.png", nil),
            ("https://h/a@0.5x.png", nil), ("https://h/a@9.9x.png", 9.9),
            ("https://h/a@1.0x.png", 1), ("https://h/a@+2x.png", nil),
            ("https://h/a@2e0x.png", nil), ("https://h/a@3x@2x.png", 2),
            ("https://h/a@2x.min.png", nil),
            ("https://h/a@2y.png", nil), ("https://h/a@.x.png", nil),
        ] as [(String, Double?)])
    func readsDensityFromName(url: String, density: Double?) {
        #expect(densityInName(of: url) == density)
    }

    private func image(
        _ url: String, _ format: ImageFormat = .webp, original: Int, now: Int
    ) -> BakedImage {
        BakedImage(
            url: url, options: VariantOptions(), sourceDigest: .ofNoBytes, sourceByteCount: 1,
            fileName: "a",
            byteCount: 1, format: format, width: now, height: now / 2,
            original: .init(format: .png, width: original, height: original / 2))
    }

    @Test(arguments: [
        ("https://h/a@2x.png", 400, 400, 200), ("https://h/a@2x.png", 2400, 1600, 1200),
        ("https://h/a@2x.png", 4000, 1600, 1600), ("https://h/a.png", 400, 400, 400),
    ])
    func dividesOriginalSizeByDensity(
        url: String, original: Int, now: Int, shown: Int
    ) {
        let size = image(url, original: original, now: now).shownSize
        #expect(size.width == shown)
        #expect(size.height == shown / 2)
    }

    @Test func vectorHasNoDensity() {
        #expect(image("https://h/a@2x.svg", .svg, original: 40, now: 40).shownSize.width == 40)
    }
}
