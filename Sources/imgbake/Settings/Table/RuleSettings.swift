import Baking
import Pictures
import Records
import Sites

extension SettingTable {
    /// The settings of single images, which are written in a file only.
    static let overrides = Setting<Settings>(
        "overrides", .overrides, decides: .reading,
        sample: "[{urls: [\"*/screenshots/*\"], set: {format: png}}]",
        help: """
            Settings for some images. Each rule has set, which holds settings of images such as \
            quality or max-width, and any of urls and documents, which are lists. If two rules \
            set the same for an image, the later one counts. Attributes of the image count more.
            """
    ) { $1.reading.overrides.rules = $0 }

    /// The settings that a rule of `overrides` may change: those that decide how one image is made and
    /// shown.
    ///
    /// All others are limits, or concern the run.
    static let overridable = images.filter { setting in
        setting.decides == .variants || setting.decides == .reading && setting.key != "local"
    }

    /// The keys of a rule in `overrides`.
    fileprivate static let override: [Setting<ImageOverrides.Rule>] = [
        Setting(
            "urls", .list(of: .urlPattern), decides: .reading,
            help:
                "Patterns for the URLs of images, as in ignore-urls, or paths of the site's images."
        ) { $1.urls = $0 },
        Setting(
            "documents", .list(of: .pathPattern), decides: .reading,
            help: "Patterns for documents, relative to the site, as in ignore."
        ) { $1.documents = $0 },
        Setting(
            "set", .change, decides: .reading, help: "The settings of these images."
        ) { $1.change = $0 },
    ]
}

extension SettingType<ImageOverrides.Change> {
    fileprivate static var change: SettingType {
        let schema = SettingsSchema.object(SettingTable.overridable)
        return SettingType(SettingForm(placeholder: "", schema: schema, isMapping: true)) { node in
            let given = try SettingTable.overriding(node)
            var checked = Settings()
            for (setting, value) in given { try setting.read(value, &checked) }
            if given.isEmpty { throw node.error("\(node.subject) must hold a setting") }
            let values = Dictionary(given.map { ($0.setting.key, $0.value.written) }) { $1 }
            return ImageOverrides.Change(values) { options in
                var settings = Settings()
                settings.image = options
                // Each was read without an error above.
                for (setting, value) in given { try? setting.read(value, &settings) }
                options = settings.image
            }
        }
    }
}

extension SettingTable {
    /// The settings that a rule changes, with their values.
    fileprivate static func overriding(
        _ node: ConfigurationNode
    ) throws -> [(setting: Setting<Settings>, value: ConfigurationNode)] {
        try node.entries().flatMap { entry in
            guard let setting = overridable.first(where: { $0.key == entry.name }) else {
                let known = overridable.map(\.key)
                guard byKey[entry.name] != nil else { throw entry.unknownKey(known: known) }
                throw entry.value.error(
                    "'\(entry.name)' is not a setting of single images: 'set' may have "
                        + known.joined(separator: ", "))
            }
            return try parts(of: setting, in: entry.value)
        }
    }
}

extension Settings {
    /// The options of images.
    fileprivate var image: ImageOptions {
        get {
            var options = ImageOptions()
            options.variants = bake.variants
            options.responsive = bake.reading.responsive
            options.addsDimensions = bake.reading.addsDimensions
            return options
        }
        set {
            bake.variants = newValue.variants
            bake.reading.responsive = newValue.responsive
            bake.reading.addsDimensions = newValue.addsDimensions
        }
    }
}

extension SettingType<[ImageOverrides.Rule]> {
    static var overrides: SettingType {
        let rule = SettingType<ImageOverrides.Rule>.object(
            of: SettingTable.override, ImageOverrides.Rule(), required: ["set"])
        return SettingType(SettingType.list(of: rule).form) { node in
            try node.list().map { item in
                var made = try rule.read(item)
                made.origin = GivenSetting(item).origin
                return made
            }
        }
    }
}

extension SettingTable {
    /// The settings of policies, which are written in a file only.
    static let policies: [Setting<Settings>] = [
        Setting(
            "failures",
            .list(of: .object(of: rule, FailurePolicy.Rule(), required: ["action"])), decides: .run,
            sample: "[{urls: [\"https://img.shields.io/*\"], action: warn}]",
            help: """
                Rules for images that cannot be fetched or decoded. Each has an action: fail, warn, \
                ignore or placeholder, and any of urls, codes and documents, which are lists. The \
                first rule that matches counts; for all others, on-error does. A rule with codes is \
                for all errors with these codes.
                """
        ) { $1.failures.rules = $0 },
        Setting(
            "budget.page", .size, decides: .policy, sample: "500kB",
            help: "The largest size of all baked images of a document together."
        ) { $1.budget.page = $0 },
        Setting(
            "budget.image", .size, decides: .policy, sample: "200kB",
            help: "The largest size of a baked image."
        ) { $1.budget.image = $0 },
    ]

    /// The keys of a rule in `failures`.
    private static let rule: [Setting<FailurePolicy.Rule>] = [
        Setting(
            "urls", .list(of: .urlPattern), decides: .run,
            help: "Patterns for the URLs of images, as in ignore-urls."
        ) { $1.urls = $0 },
        Setting(
            "codes", .list(of: .word()), decides: .run,
            help: "The codes of messages, such as http-status."
        ) { $1.codes = $0 },
        Setting(
            "documents", .list(of: .pathPattern), decides: .run,
            help: "Patterns for documents, relative to the site, as in ignore."
        ) { $1.documents = $0 },
        Setting(
            "action", .word(), decides: .run,
            help: "What to do: fail, warn, ignore or placeholder (with -o only)."
        ) { $1.action = $0 },
    ]
}
