import Baking

extension Summary {
    /// The totals as one line.
    var line: String {
        var parts = ["\(images.fetched.grouped) fetched", "\(images.unchanged.grouped) unchanged"]
        parts.append("\(images.cached.grouped) from cache")
        if images.local > 0 { parts.append("\(images.local.grouped) local") }
        parts.append("\(images.failed.grouped) failed")
        return [
            documents.of("document"), references.of("reference"),
            "\(images.total.of("image")) (\(parts.joined(separator: ", ")))",
            "\(bytes.before.asBytes) before, \(bytes.after.asBytes) after\(saved)",
            seconds.asSeconds,
        ].joined(separator: ", ")
    }
}

extension Summary {
    /// The reduction in size of the images: ` (saved 350.9 kB, 84 %)`; empty if there is none.
    private var saved: String {
        let saving = bytes.before - bytes.after
        guard saving > 0 else { return "" }
        return " (saved \(saving.asBytes), \(saving * 100 / bytes.before) %)"
    }
}

extension DryRun.Result {
    /// One line for each reference and one of totals.
    var text: String {
        let lines = references.map {
            printable(
                "\($0.document):\($0.line):\($0.column): would \($0.action.phrase) \($0.url)")
        }
        let count = { (action: DryRun.Action) in
            Set(references.filter { $0.action == action }.map(\.url)).count.grouped
        }
        let isLocal = references.contains { $0.action == .local }
        let own = isLocal ? ", \(count(.local)) local" : ""
        let total =
            "\(documents.of("document")), \(references.count.of("reference")), "
            + "\(Set(references.map(\.url)).count.of("image")) (\(count(.fetch)) to fetch, "
            + "\(count(.revalidate)) to revalidate, \(count(.reuse)) from cache\(own)); "
            + "nothing was changed"
        return (lines + [total, ""]).joined(separator: "\n")
    }
}

extension DryRun.Action {
    fileprivate var phrase: String {
        switch self {
        case .fetch: "fetch"
        case .revalidate: "revalidate"
        case .reuse: "take from the cache"
        case .leave: "leave, because it is not in the cache,"
        case .refuse: "leave, because it is refused,"
        case .skip: "leave, since it failed lately,"
        case .local: "take from the site"
        }
    }
}

extension Int {
    /// The number with a comma at each thousand.
    var grouped: String {
        let digits = String(magnitude)
        let groups = stride(from: digits.count % 3 - 3, to: digits.count, by: 3).compactMap {
            start -> Substring? in
            let group = digits.dropFirst(Swift.max(start, 0)).prefix(start < 0 ? 3 + start : 3)
            return group.isEmpty ? nil : group
        }
        return (self < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// The number and the noun that it counts.
    func of(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }

    /// The number as a number of entries.
    var entries: String { self == 1 ? "1 entry" : "\(grouped) entries" }

    /// The number as a number of bytes, in the decimal units of the SI.
    var asBytes: String {
        if self < 1000 { return "\(self) B" }
        let units = ["kB", "MB", "GB", "TB"]
        // A tenth of the unit, in bytes; each number is rounded once.
        var tenth = 100
        var unit = 0
        while self >= 10_000 * tenth - tenth / 2 && unit < units.count - 1 {
            tenth *= 1000
            unit += 1
        }
        let tenths = (self + tenth / 2) / tenth
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}

extension Double {
    /// The number as a time in seconds, with the digits that are significant.
    var asSeconds: String {
        let milliseconds = Int((self * 1000).rounded())
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        let tenths = (milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
