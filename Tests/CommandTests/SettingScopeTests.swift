import FoundationEssentials
import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pictures
@testable import Records
@testable import Sites
@testable import imgbake

/// What a setting decides is part of the keys of stored results, without a line of code for it.
@Suite struct SettingScopeTests {
    /// A setting that no code knows.
    private func setting(
        _ scope: SettingScope, set: @escaping @Sendable (inout Settings) -> Void = { _ in }
    ) -> Setting<Settings> {
        Setting("sharpness", .text("text"), decides: scope, default: "usual", help: "Nothing.") {
            set(&$1)
        }
    }

    private func node(_ text: String) -> ConfigurationNode {
        ConfigurationNode(
            text,
            ConfigurationSource(
                origin: .option("--sharpness"), folder: "/", environment: { _ in nil })
        )
    }

    /// The keys of stored results under some settings.
    private struct Keys: Equatable {
        var documents: String
        var jobErrors: String
        var sources: String

        init(_ settings: Settings) {
            let environment = ProcessEnvironment(
                workingDirectory: "/", variable: { _ in nil }, executable: "/bin/imgbake")
            let options = BakeOptions(settings, site: "/site", in: environment)
            let keys = ResultKeys(options)
            documents = keys.documents(options.reading, options.variants, isInPlace: true)
            jobErrors = keys.jobError(of: "source", [options.variants])
            sources = keys.jobError(of: "source", [])
        }
    }

    private func keys(_ scope: SettingScope, _ value: String) throws -> Keys {
        var settings = Settings()
        try settings.apply(setting(scope), node(value))
        return Keys(settings)
    }

    @Test func newSettingChangesEveryKeyOfItsScope() throws {
        let usual = Keys(Settings())
        for scope in SettingScope.allCases {
            let changed = try keys(scope, "other")
            #expect(
                (changed.documents != usual.documents) == [.reading, .variants].contains(scope))
            #expect((changed.jobErrors != usual.jobErrors) == [.variants, .policy].contains(scope))
            #expect((changed.sources != usual.sources) == (scope == .policy))
            #expect(try keys(scope, "usual") == usual, "the default is as if it were not given")
            #expect(try keys(scope, "third") != changed || scope == .run)
        }
    }

    /// A variant depends on its recipe only, so a setting must reach that to change one.
    @Test func newSettingOfVariantsChangesTheRecipe() throws {
        var settings = Settings()
        try settings.apply(setting(.variants) { $0.variants.quality = 7 }, node("other"))
        let header = ImageHeader(format: .jpeg, width: 800, height: 600)
        let recipes = [Settings().variants, settings.variants].map {
            planVariant(of: header, options: $0)
        }
        #expect(recipes[0] != recipes[1])
    }

    /// Values that differ from the defaults.
    private static let values = [
        "site-url": "https://example.org/", "layout": "none", "image-dir": "x",
        "public-path": "/x/", "url-style": "root", "links": "true", "styles": "true",
        "media": "true",
        "scripts": "true", "data": "true",
        "ignore": "x", "include": "x", "ignore-urls": "x", "include-urls": "x",
        "ignore-codes": "needs-site-url", "front-matter": "x", "shortcodes": "x y",
        "lazy-attributes": "data-x", "dimensions": "true", "local": "true",
        "forget-secret-urls": "true",
        "responsive": "true", "responsive-widths": "7", "responsive-sizes": "7px",
        "responsive-lazy": "false", "responsive-formats": "avif",
        "placeholder": "blur",
        "format": "png",
        "quality": "7", "effort": "high", "max-width": "7", "svg": "refuse", "frames": "first",
        "metadata": "keep",
    ]

    /// The options that decide documents and variants, after one setting was given.
    private func encoded(_ setting: Setting<Settings>) throws -> (reading: Data, variants: Data) {
        var settings = Settings()
        var node = node(try #require(Self.values[setting.key], "\(setting.key)"))
        if setting.form.isList { node.content = .list([node]) }
        try settings.apply(setting, node)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try encoder.encode(settings.reading), try encoder.encode(settings.variants))
    }

    @Test func rowsDecideWhatTheyDeclare() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let reading = try encoder.encode(Settings().reading)
        let variants = try encoder.encode(Settings().variants)
        // A mapping is written in a file only; ``OverrideTests`` covers it.
        let known = SettingTable.all.filter {
            [.reading, .variants].contains($0.decides) && !$0.form.isMapping
        }
        for setting in known {
            let given = try encoded(setting)
            #expect((given.reading != reading) == (setting.decides == .reading), "\(setting.key)")
            #expect(
                (given.variants != variants) == (setting.decides == .variants), "\(setting.key)")
        }
        #expect(Set(known.map(\.key)) == Set(Self.values.keys))
    }

    /// A rule of `overrides` can set all that decides how single images are made and shown.
    @Test func everySettingOfImagesCanBeOverridden() throws {
        #expect(
            Set(SettingTable.overridable.map(\.key))
                == Set(Self.values.keys).intersection(SettingTable.images.map(\.key))
                .subtracting(["local"]))
        for setting in SettingTable.overridable {
            var value = node(try #require(Self.values[setting.key]))
            if setting.form.isList { value.content = .list([value]) }
            var change = node("")
            change.content = .mapping([.init(key: node(setting.key), value: value)])
            var rule = node("")
            rule.content = .mapping([.init(key: node("set"), value: change)])
            var rules = node("")
            rules.content = .list([rule])
            let overrides = try #require(SettingTable.byKey["overrides"])
            var settings = Settings()
            try settings.apply(overrides, rules)
            let usual = ImageOptions()
            let changed = settings.reading.overrides.options(
                usual, for: .remote("https://h/a.png"), in: "a.html")
            #expect(
                changed.variants != usual.variants || changed.responsive != usual.responsive
                    || changed.addsDimensions != usual.addsDimensions, "\(setting.key)")
        }
    }

    /// Every setting of variants changes the recipe of some image.
    @Test func everySettingOfVariantsReachesTheRecipe() throws {
        let headers = [
            ImageHeader(format: .jpeg, width: 800, height: 600),
            ImageHeader(
                format: .gif, width: 80, height: 60, frameCount: 3, isStandardColour: false,
                hasMetadata: true),
            ImageHeader(format: .svg, width: 8, height: 8, objection: "it has a <script>"),
        ]
        for setting in SettingTable.all where setting.decides == .variants {
            var settings = Settings()
            try settings.apply(setting, node(try #require(Self.values[setting.key])))
            let isPlanned = headers.contains { header in
                planVariant(of: header, options: settings.variants)
                    != planVariant(of: header, options: Settings().variants)
            }
            #expect(isPlanned, "\(setting.key)")
        }
    }
}
