import Baking

/// How far a command is.
struct Progress {
    /// Progress as words, for a log.
    let line: String
    private let done: Int
    private let total: Int

    /// How far a bake is.
    init(_ counts: Counts, _ transfers: TransferCounts) {
        line =
            "\(counts.documentsDone.grouped)/\(counts.documents.grouped) documents, "
            + "\(counts.imagesDone.grouped)/\(counts.images.grouped) images, \(transfers.words)"
        done = counts.documentsDone
        total = counts.documents
    }

    /// How far a prefetch is.
    init(done: Int, of total: Int, _ transfers: TransferCounts) {
        line = "\(done.grouped)/\(total.grouped) URLs, \(transfers.words)"
        self.done = done
        self.total = total
    }

    /// Progress as a bar that fits into `columns`.
    func bar(columns: Int) -> String {
        let text = line
        let width = min(30, columns - text.count - 4)
        guard width >= 5 else { return String(text.prefix(max(columns - 1, 0))) }
        let share = total == 0 ? 0 : done * width / total
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

extension TransferCounts {
    fileprivate var words: String { "\(receivedBytes.asBytes), \(runningCount) in flight" }
}
