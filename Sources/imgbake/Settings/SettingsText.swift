/// Texts that are derived from the settings: the commented example and the reference.
enum SettingsText {
    /// The settings that most people change, each with what it is for.
    private static let usual = [
        ("output", "write a copy of the site there, instead of baking it in place"),
        ("site-url", "where the site is published; feeds and og:image need it"),
        ("styles", "also style sheets and fonts; likewise: media, scripts, data"),
        ("responsive", "several widths of each image, in a srcset"),
        ("format", "auto, webp, avif, jpeg, png, or keep that of each image"),
        ("quality", "auto, another level, or a number from 1 to 100"),
        ("max-width", "in pixels, or none"),
        ("ignore", "documents to leave as they are"),
        ("ignore-urls", "images to leave on their hosts"),
        ("on-error", "fail, warn, or placeholder, where an image cannot be fetched"),
    ]

    /// An `imgbake.yml` with the settings that most people change, a line each, and a line about the
    /// generator that was found.
    static func starter(generator: String?) -> String {
        let settings = usual.compactMap { key, purpose in
            SettingTable.all.first { $0.key == key }.map { (assignment($0), "# " + purpose) }
        }
        return """
            # yaml-language-server: $schema=\(SettingsSchema.address)

            # Without this file, imgbake makes images of other hosts local, in place: at most 1600 pixels
            # wide, and as WebP where that is smaller. To change a setting, remove its first '#'.
            # All settings: imgbake init --all, or https://imgbake.github.io/imgbake/settings/
            \(generator.map { "# Found here: \($0)\n" } ?? "")
            \(aligned(settings))
            """
    }

    /// An `imgbake.yml` that explains every setting.
    ///
    /// All settings are commented out, so that a later version can change a default.
    static func example(schema: String) -> String {
        var lines = [
            "# yaml-language-server: $schema=\(schema)", "#",
            "# Settings of imgbake. To change one, remove its '#'. The values are the defaults, or",
            "# examples where there is no default. Options of the command line override this file.",
            "# Paths are relative to this file. Times: 300ms, 30s, 15m, 12h, 7d. Sizes: 512kB, 50MB.",
        ]
        for section in [""] + SettingTable.sections.sorted() {
            if !section.isEmpty {
                lines += ["", "# \(SettingTable.sectionHelp[section] ?? "")", "\(section):"]
            }
            let indentation = section.isEmpty ? "" : "  "
            for setting in SettingTable.all
            where setting.section == section && setting.key != SettingTable.hosts.key {
                lines += [""] + comment(setting).map { indentation + $0 }
                lines.append(indentation + assignment(setting))
            }
        }
        lines += ["", hosts]
        return lines.joined(separator: "\n")
    }

    private static func assignment(_ setting: Setting<Settings>) -> String {
        "#\(setting.name): \(setting.fallback ?? setting.sample ?? "")"
    }

    private static func comment(_ setting: Setting<Settings>) -> [String] {
        let note = setting.fallbackNote.map { " Default: \($0)." } ?? ""
        return wrapped(setting.help + note, to: 90).map { "# " + $0 }
    }

    private static let hosts = """
        # \(wrapped(SettingTable.hosts.help, to: 90).joined(separator: "\n# "))
        #hosts:
        #  images.example.org:
        #    headers:
        #      X-Key: ${IMAGES_KEY}
        #  "*.example.com":
        #    basic:
        #      user: ${IMAGES_USER}
        #      password: ${IMAGES_PASSWORD}
        #  staging.example.org:8443:
        #    bearer: ${STAGING_TOKEN}
        #    allow-invalid-certificate: true
        #  internal.example.org:
        #    client-certificate:
        #      file: build.pem
        #      password: ${KEY_PASSWORD}

        """

    /// The width of the lines of the page.
    private static let width = 100

    /// The settings as a page in Markdown.
    static var reference: String {
        var lines = [
            "# Settings", "",
            "A setting is given as an option, as an environment variable or in `imgbake.yml`. An option",
            "overrides a variable, which overrides the file. `imgbake config show` lists the values in",
            "force with their origin; `imgbake init --all` writes an `imgbake.yml` that explains all.",
            "",
            "Times are written `90` (seconds), `300ms`, `30s`, `15m`, `12h`, `7d`; sizes `50000000`,",
            "`512kB`, `50MB`, `2GiB`. Flags have a `--no-` form; in the file and in a variable they are",
            "`true` or `false`. Lists are written `[a, b]` in the file and `a, b` in a variable; on the",
            "command line, repeat the option for each value.",
        ]
        let groups: [(String, [Setting<Settings>])] = [
            ("Say where the site is written", SettingTable.output),
            ("Say where it is published", SettingTable.placement),
            ("Choose documents and images", SettingTable.selection),
            ("Decide how images are made", SettingTable.pictures + [SettingTable.overrides]),
            ("Make pages load faster", SettingTable.loading),
            ("Limit memory and time", SettingTable.resources),
            ("Decide what an error is", SettingTable.reporting + SettingTable.policies),
            ("Keep what was fetched", SettingTable.cacheFolder + SettingTable.cacheLimits),
            ("Share it with other machines", SettingTable.otherMachines),
            ("Limit and repeat requests", SettingTable.limits + SettingTable.retries),
            ("Choose whom to ask, and how", SettingTable.network + [SettingTable.hosts]),
        ]
        for (title, settings) in groups {
            lines += ["", "## \(title)"] + settings.flatMap(entry)
        }
        lines += ["", "### Settings of a host", ""]
        // A list fits a telephone, unlike a table.
        lines += SettingTable.host.flatMap { item("`\($0.key)`: \(escaped($0.help))") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entry(_ setting: Setting<Settings>) -> [String] {
        var forms = setting.optionName.map { ["`--\($0)`"] } ?? []
        if case .short(let letter) = setting.option { forms.insert("`-\(letter)`", at: 0) }
        forms += setting.environment.map { ["`\($0)`"] } ?? []
        let fallback = setting.fallback.map { "`\($0)`" } ?? setting.fallbackNote.map(escaped)
        let facts = forms.joined(separator: ", ") + (fallback.map { "; default: \($0)" } ?? "")
        return ["", "### `\(setting.key)`", ""] + wrapped(escaped(setting.help), to: width)
            + (facts.isEmpty ? [] : [""] + wrapped(facts, to: width))
    }

    private static func item(_ text: String) -> [String] {
        let (first, others) = ("- ", "  ")
        return wrapped(text, to: width - first.count).enumerated().map {
            ($0 == 0 ? first : others) + $1
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("*", with: "\\*").replacing("<img>", with: "`<img>`")
            .replacing("_", with: "\\_")
    }
}

/// A text as lines of at most `width` characters; a longer word gets its own line.
func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
        if let last = lines.last, last.count + 1 + word.count <= width {
            lines[lines.count - 1] += " " + word
        } else {
            lines.append(String(word))
        }
    }
    return lines
}
