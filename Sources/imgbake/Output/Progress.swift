import Baking
import FetchCache

/// How far a bake is.
struct Progress {
    private let counts: Counts
    private let receivedBytes: Int
    private let transferCount: Int

    init(_ counts: Counts, _ activity: FetchActivity?) {
        self.counts = counts
        receivedBytes = activity?.receivedBytes ?? 0
        transferCount = activity?.runningCount ?? 0
    }

    /// Progress as words, for a log.
    var line: String {
        "\(counts.documentsDone.grouped)/\(counts.documents.grouped) documents, "
            + "\(counts.imagesDone.grouped)/\(counts.images.grouped) images, "
            + "\(receivedBytes.asBytes), \(transferCount) in flight"
    }

    /// Progress as a bar that fits into `columns`.
    func bar(columns: Int) -> String {
        let text = line
        let width = min(30, columns - text.count - 4)
        guard width >= 5 else { return String(text.prefix(max(columns - 1, 0))) }
        let share = counts.documents == 0 ? 0 : counts.documentsDone * width / counts.documents
        let full = String(repeating: "█", count: share)
        return full + String(repeating: "░", count: width - share) + "  " + text
    }
}

/// The line at the foot of a terminal that is drawn over itself.
struct ProgressBar {
    private var isDrawn = false

    mutating func draw(_ progress: Progress, columns: Int) -> String {
        isDrawn = true
        return "\r\u{1B}[K" + progress.bar(columns: columns)
    }

    mutating func erase() -> String {
        guard isDrawn else { return "" }
        isDrawn = false
        return "\r\u{1B}[K"
    }
}
