import Baking

extension SettingTable {
    /// The settings that a rule of `overrides` may change: those that decide how one image is made.
    static let overridable = images.filter { $0.decides == .variants }

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
            let entries = try node.entries()
            let known = SettingTable.overridable
            for entry in entries where SettingTable.byKey[entry.name] != nil {
                guard known.contains(where: { $0.key == entry.name }) else {
                    throw entry.value.error(
                        "'\(entry.name)' is not a setting of single images: 'set' may have "
                            + known.map(\.key).joined(separator: ", "))
                }
            }
            var checked = Settings()
            try node.read(known, into: &checked)
            if entries.isEmpty { throw node.error("\(node.subject) must hold a setting") }
            let values = Dictionary(entries.map { ($0.name, $0.value.written) }) { $1 }
            return ImageOverrides.Change(values) { options in
                var settings = Settings()
                settings.variants = options
                // It was read without an error above.
                try? node.read(known, into: &settings)
                options = settings.variants
            }
        }
    }
}

extension SettingType<[ImageOverrides.Rule]> {
    static var overrides: SettingType {
        let rule = SettingType<ImageOverrides.Rule>.object(
            of: SettingTable.override, ImageOverrides.Rule(), required: ["set"])
        let form = SettingType.list(of: rule).form
        // No variable or option can hold a mapping.
        return SettingType(
            SettingForm(placeholder: "", schema: form.schema, isMapping: true)
        ) { node in
            try node.list().map { item in
                var made = try rule.read(item)
                made.origin = GivenSetting(item).origin
                return made
            }
        }
    }
}
