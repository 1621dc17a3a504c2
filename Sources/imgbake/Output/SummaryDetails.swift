import Baking
import FetchCache
import Pictures
import Reports
import Sites

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
                section("slowest images", slowest.map { ([$0.seconds.asSeconds], $0.url) }),
                section(
                    "largest images",
                    largest.map { image in
                        let quality = image.quality.map { "quality \($0)" } ?? ""
                        return (
                            [image.before.asBytes, arrow, image.after.asBytes, quality], image.url
                        )
                    }),
            ]
        }
        if isVerbose || failures.reduce(0, { $0 + $1.images }) > Self.mostListedFailures {
            sections.append(
                section(
                    "failed images",
                    failures.prefix(isVerbose ? .max : 10).map {
                        ([$0.images.grouped], "\($0.host): \($0.reason)")
                    }))
        }
        return sections.joined()

        /// A title, and for each row some right-aligned cells and a text.
        func section(_ title: String, _ rows: [(cells: [String], text: String)]) -> String {
            guard let first = rows.first else { return "" }
            let widths = first.cells.indices.map { index in
                rows.map { $0.cells[index].count }.max() ?? 0
            }
            let lines = rows.map { cells, text in
                let padded = zip(cells, widths).filter { $1 > 0 }.map {
                    String(repeating: " ", count: $1 - $0.count) + $0
                }
                let start = "  " + padded.joined(separator: " ") + "  "
                let room = columns.map { max($0 - 1 - start.count, 10) } ?? .max
                return start + shortened(printable(text), to: room, mark: isASCII ? "..." : "…")
            }
            return ([title] + lines).map { $0 + "\n" }.joined()
        }
    }
}
