import Documents
import Testing

@testable import Baking
@testable import Pages
@testable import Records
@testable import Sites

/// The URLs of baked images at their places.
@Suite struct WrittenURLTests {
    private func place(_ form: Reference.Form) -> Reference {
        Reference(range: 0..<1, kind: .markdownImage, url: "x", form: form)
    }

    private static let forms: [Reference.Form] = [.relative, .rooted, .absoluteIfKnown, .absolute]

    @Test(
        arguments: [
            (
                "https://cdn.example/i/", false,
                Array(repeating: "https://cdn.example/i/x", count: 4)
            ),
            ("https://cdn.example/i/", true, Array(repeating: "https://cdn.example/i/x", count: 4)),
            ("/i/", false, ["/i/x", "/i/x", "/i/x", nil]),
            (
                "/i/", true,
                ["/i/x", "/i/x", "https://example.org/i/x", "https://example.org/i/x"]
            ),
        ] as [(String, Bool, [String?])])
    func publicPathOverridesOtherForms(
        path: String, hasAddress: Bool, expected: [String?]
    ) {
        var writer = ReferenceWriter(
            page: "a/b.html", address: hasAddress ? SiteAddress("https://example.org/blog/") : nil,
            imageDirectory: "static/i")
        writer.publicPath = PublicPath(path)
        #expect(Self.forms.map { writer.url(of: "x", at: place($0)) } == expected)
    }

    @Test func encodesFolderName() {
        let writer = ReferenceWriter(page: "a.html", address: nil, imageDirectory: "my imgs#1")
        #expect(writer.url(of: "x", at: place(.relative)) == "my%20imgs%231/x")
        #expect(writer.url(of: "x", at: place(.rooted)) == "/my%20imgs%231/x")
    }

    @Test(arguments: ["a:b", "http:", "x:y/z"])
    func folderNameIsNotReadAsScheme(folder: String) throws {
        let writer = ReferenceWriter(page: "a.html", address: nil, imageDirectory: folder)
        let url = try #require(writer.url(of: "x", at: place(.relative)))
        #expect(URLResolver(document: "a.html").resolve(url) == .local(folder + "/x"))
    }

    @Test func recognizesBakedImagesInMarkedFolders() {
        var reading = ReadingOptions()
        reading.imageFolders = ["old/img", "imgs"]
        for path in ["imgbake/x", "old/img/x", "imgs/deep/x"] { #expect(reading.isBaked(path)) }
        for path in ["imgbake", "imgbakes/x", "old/x", "old/imgs/x"] {
            #expect(!reading.isBaked(path))
        }
    }

    @Test(arguments: [
        (["a": 1, "b": 2], #"{"a":1,"b":2}"#), ([:], "{}"), (["x/y": 1], #"{"x/y":1}"#),
    ])
    func equalValuesHaveEqualKeys(value: [String: Int], text: String) {
        #expect(canonicalText(of: value) == text)
        #expect(derivedKey(of: value).count == 64)
        #expect(
            derivedKey(of: value)
                == derivedKey(
                    of: Dictionary(
                        uniqueKeysWithValues: value.map {
                            ($0.key, $0.value)
                        })))
    }

    @Test func nonFiniteNumbersHaveDistinctKeys() {
        #expect(derivedKey(of: [Double.nan]) != derivedKey(of: [Double.infinity]))
        #expect(derivedKey(of: [1.5]) != derivedKey(of: [Double.nan]))
    }

    @Test func keyContainsEachReadingOption() {
        var keys: Set<String> = [derivedKey(of: ReadingOptions())]
        let changes: [(inout ReadingOptions) -> Void] = [
            { $0.address = SiteAddress("https://h") }, { $0.addsDimensions = true },
            { $0.includesLocal = true }, { $0.includesLinks = true },
            { $0.frontMatterKeys = ["x"] }, { $0.lazyAttributes = ["x"] },
            { $0.shortcodes = ["x"] }, { $0.imageFolders = ["x"] },
            { $0.documents.ignored = [Glob("x")].compactMap(\.self) },
            { $0.documents.included = [Glob("x")].compactMap(\.self) },
            { $0.urls.ignored = [Glob(url: "x")].compactMap(\.self) },
            { $0.urls.included = [Glob(url: "x")].compactMap(\.self) },
            { $0.layoutOptions.choice = .none }, { $0.layoutOptions.choice = .named(.hugo) },
            { $0.layoutOptions.imageDirectory = "x" },
            { $0.layoutOptions.publicPath = PublicPath("/x") },
        ]
        for change in changes {
            var reading = ReadingOptions()
            change(&reading)
            keys.insert(derivedKey(of: reading))
        }
        #expect(keys.count == changes.count + 1)
    }
}
