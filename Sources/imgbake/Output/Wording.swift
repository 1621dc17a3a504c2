import Baking
import FetchCache
import Pictures
import Reports
import Sites

extension Summary {
    /// The totals as three lines with aligned columns.
    func text(_ options: ReadingOptions) -> String {
        let outcomes = counted([
            (images.fetched, "fetched"), (images.unchanged, "unchanged"),
            (images.cached, "from cache"), (images.local, "local"),
        ])
        let pruned = removed > 0 ? [("removed", removed.of("file"))] : []
        let sent = uploaded > 0 ? [("uploaded", uploaded.of("object"))] : []
        return aligned(
            [
                ("documents", "\(documents.grouped), \(references.of("reference"))"),
                (
                    options.bakedFiles,
                    "\(images.total.grouped), \(outcomes)\(images.failed.grouped) failed"
                ),
                (
                    "size",
                    "\(bytes.before.asBytes) to \(bytes.after.asBytes)\(saved), "
                        + seconds.asSeconds
                ),
            ] + pruned + sent)
    }

    /// The reduction in size of the images: ` (84 % saved)`; empty if there is none.
    var saved: String {
        let saving = bytes.before - bytes.after
        return saving > 0 ? " (\(saving * 100 / bytes.before) % saved)" : ""
    }
}

/// The numbers that are not 0, each with a comma behind it: `3 fetched, 2 local, `.
private func counted(_ counts: [(number: Int, name: String)]) -> String {
    counts.filter { $0.number > 0 }.map { "\($0.number.grouped) \($0.name), " }.joined()
}

/// Lines of two columns; the second ones begin below each other.
func aligned(_ rows: [(first: String, second: String)]) -> String {
    let width = rows.map(\.first.count).max() ?? 0
    return rows.map { first, second in
        first + String(repeating: " ", count: width - first.count + 2) + second + "\n"
    }.joined()
}

extension DryRun.Result {
    /// One line for each reference, and the totals.
    func text(_ options: ReadingOptions) -> String {
        let lines = references.map {
            printable(
                "\($0.document):\($0.line):\($0.column): would \($0.action.phrase) \($0.url)")
        }
        let removals = removed.map { printable("\($0): would remove the file") }
        let actions = counted([
            (totals.revalidate, "to revalidate"), (totals.cached, "from cache"),
            (totals.local, "local"), (totals.left, "to leave"),
        ])
        let text = aligned([
            ("documents", "\(documents.grouped), \(totals.references.of("reference"))"),
            (
                options.bakedFiles,
                "\(totals.images.grouped), \(actions)\(totals.fetch.grouped) to fetch"
            ),
            ("dry run", "nothing was changed"),
        ])
        return (lines + removals + [text]).joined(separator: "\n")
    }
}

extension SiteRestore.Result {
    /// The totals; above them a line for each reference, if they are wanted.
    func text(isDryRun: Bool, listsReferences: Bool) -> String {
        let action = isDryRun ? "would put back" : "put back"
        let lines = references.map {
            printable("\($0.document):\($0.line):\($0.column): \(action) \($0.url)") + "\n"
        }
        let totals = aligned([
            ("documents", "\(documents.grouped), \(restored.grouped) restored"),
            ("references", "\(references.count.grouped) put back, \(left.grouped) left"),
            isDryRun
                ? ("dry run", "nothing was changed")
                : ("images", "\(removedImages.grouped) removed"),
        ])
        return (listsReferences ? lines.joined() : "") + totals
    }
}

extension ReadingOptions {
    /// What a bake makes.
    fileprivate var bakedFiles: String { others.roles.isEmpty ? "images" : "files" }
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
        var rest = String(magnitude)[...]
        var groups: [Substring] = []
        while !rest.isEmpty {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return (self < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// The number and the noun that it counts.
    func of(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }

    /// The number as a number of entries.
    var entries: String { self == 1 ? "1 entry" : "\(grouped) entries" }
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

extension Summary {
    /// The number of failed images above which a summary counts them by host.
    private static let mostListedFailures = 10

    /// The slowest and the largest images, for `--verbose`, and the failures by host, also if there
    /// are many.
    ///
    /// - Parameters:
    ///   - isVerbose: Whether to tell everything.
    ///   - columns: The width to which URLs are shortened; nil for any.
    ///   - isASCII: Whether to use only ASCII characters.
    /// - Returns: Lines with a newline each; empty if there is nothing to tell.
    func details(
        isVerbose: Bool = true, columns: Int? = nil, isASCII: Bool = false
    ) -> String {
        let arrow = isASCII ? "->" : "\u{2192}"
        var sections: [String] = []
        if isVerbose {
            sections = [
                section("slowest images", slowest.map { ($0.seconds.asSeconds, $0.url) }),
                section(
                    "largest images",
                    largest.map { image in
                        let quality = image.quality.map { " quality \($0)" } ?? ""
                        let sizes = "\(image.before.asBytes) \(arrow) \(image.after.asBytes)"
                        return (sizes + quality, image.url)
                    }),
            ]
        }
        if isVerbose || failures.reduce(0, { $0 + $1.images }) > Self.mostListedFailures {
            sections.append(
                section(
                    "failed images",
                    failures.prefix(isVerbose ? .max : 10).map {
                        ($0.images.grouped, "\($0.host): \($0.reason)")
                    }))
        }
        return sections.joined()

        /// A title, and below it a right-aligned column and a text.
        func section(_ title: String, _ rows: [(facts: String, text: String)]) -> String {
            guard let width = rows.map(\.facts.count).max() else { return "" }
            let room = columns.map { max($0 - 5 - width, 3) } ?? .max
            let lines = rows.map { facts, text in
                String(repeating: " ", count: width - facts.count + 2) + facts + "  "
                    + shortened(printable(text), to: room, mark: isASCII ? "..." : "…")
            }
            return ([title] + lines).map { $0 + "\n" }.joined()
        }
    }
}
