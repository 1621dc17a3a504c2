import Baking
import Pictures
import Records
import Reports
import Sites

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
