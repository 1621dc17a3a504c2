import Baking
import FetchCache
import Reports
import Sites

/// The result of a prefetch, for its last line and for `--json`.
struct PrefetchSummary: Encodable {
    /// The URLs, each counted once.
    var urls: Int
    var fetched: Int
    var unchanged: Int
    var cached: Int
    var failed: Int
    var bytes: Int
    /// The objects that were uploaded to a store.
    var uploaded: Int
    /// Wall-clock seconds.
    var seconds: Double
    var diagnostics: [Diagnostic]

    /// - Parameters:
    ///   - totals: The numbers of URLs that were loaded.
    ///   - badLines: The number of lines of a list that are no URLs; each has failed.
    ///   - uploaded: The number of objects that were uploaded.
    ///   - seconds: The time that it took.
    ///   - diagnostics: All messages.
    init(
        _ totals: Prefetcher.Totals, badLines: Int = 0, uploaded: Int, seconds: Double,
        diagnostics: [Diagnostic]
    ) {
        urls = totals.totalCount + badLines
        fetched = totals.downloadedCount
        unchanged = totals.revalidatedCount
        cached = totals.skippedCount
        failed = totals.failedCount + badLines
        bytes = totals.downloadedBytes
        self.uploaded = uploaded
        self.seconds = seconds
        self.diagnostics = diagnostics
    }

    var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// The totals as one line.
    var line: String {
        let parts = [
            "\(fetched.grouped) fetched", "\(unchanged.grouped) unchanged",
            "\(cached.grouped) from cache", "\(failed.grouped) failed",
        ]
        let sent = uploaded > 0 ? "\(uploaded.of("object")) uploaded, " : ""
        return "\(urls.of("URL")) (\(parts.joined(separator: ", "))), \(bytes.asBytes) fetched, "
            + sent + seconds.asSeconds
    }
}
