/// Texts that are derived from the settings: the commented example and the reference.
enum SettingsText {
    /// An `imgbake.yml` that explains every setting; those without a default are commented out.
    static func example(schema: String) -> String {
        var lines = [
            "# yaml-language-server: $schema=\(schema)", "#",
            "# Settings of imgbake, with their defaults. Options of the command line override them.",
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
        if let fallback = setting.fallback { return "\(setting.name): \(fallback)" }
        return "# \(setting.name): \(setting.sample ?? "")"
    }

    private static func comment(_ setting: Setting<Settings>) -> [String] {
        let note = setting.fallbackNote.map { " Default: \($0)." } ?? ""
        return wrapped(setting.help + note, to: 90).map { "# " + $0 }
    }

    private static let hosts = """
        # \(wrapped(SettingTable.hosts.help, to: 90).joined(separator: "\n# "))
        # hosts:
        #   images.example.org:
        #     headers:
        #       X-Key: ${IMAGES_KEY}
        #   "*.example.com":
        #     basic:
        #       user: ${IMAGES_USER}
        #       password: ${IMAGES_PASSWORD}
        #   staging.example.org:8443:
        #     bearer: ${STAGING_TOKEN}
        #     allow-invalid-certificate: true
        #   internal.example.org:
        #     client-certificate:
        #       file: build.pem
        #       password: ${KEY_PASSWORD}

        """

    /// The settings as tables in Markdown.
    static var reference: String {
        var lines = [
            "# Settings", "",
            "A setting is given as an option, as an environment variable or in `imgbake.yml`. An option",
            "overrides a variable, which overrides the file. `imgbake config show` lists the values in",
            "force with their origin; `imgbake init` writes an `imgbake.yml` that explains all of them.",
            "",
            "Times are written `90` (seconds), `300ms`, `30s`, `15m`, `12h`, `7d`; sizes `50000000`,",
            "`512kB`, `50MB`, `2GiB`. Flags have a `--no-` form. Lists are written `[a, b]` in the file;",
            "on the command line, repeat the option for each value.",
        ]
        let groups: [(String, [Setting<Settings>])] = [
            ("Output", SettingTable.output), ("Site", SettingTable.site),
            ("Images", SettingTable.images), ("Failures", SettingTable.reporting),
            ("Cache", SettingTable.cache), ("Fetching", SettingTable.fetching),
            ("Hosts", [SettingTable.hosts]),
        ]
        for (title, settings) in groups {
            lines += ["", "## \(title)", "", "| setting | option | default | |", "|-|-|-|-|"]
            lines += settings.map(row)
        }
        lines += ["", "### Settings of a host", "", "| key | |", "|-|-|"]
        lines += SettingTable.host.map { "| `\($0.key)` | \(cell($0.help)) |" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ setting: Setting<Settings>) -> String {
        var option = setting.optionName.map { "`--\($0)`" } ?? ""
        if case .short(let letter) = setting.option { option = "`-\(letter)`, \(option)" }
        let fallback = setting.fallback.map { "`\($0)`" } ?? setting.fallbackNote.map(cell) ?? ""
        return "| `\(setting.key)` | \(option) | \(fallback) | \(cell(setting.help)) |"
    }

    private static func cell(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("*", with: "\\*")
            .replacing("<img>", with: "`<img>`").replacing("_", with: "\\_")
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
