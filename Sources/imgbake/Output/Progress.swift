import FetchCache
import Pictures
import Reports

/// The state of a running command.
struct Progress {
    /// A total, and the number that is done.
    struct Count {
        var name: String
        var done: Int
        var total: Int

        var text: String { "\(done.grouped)/\(total.grouped) \(name)" }
    }

    /// The counts; the bar shows the first one.
    private let counts: [Count]
    let transfers: TransferCounts

    /// The progress of a bake.
    ///
    /// It counts images if the site has few documents with many images.
    init(_ counts: Counts, _ transfers: TransferCounts) {
        let documents = Count(
            name: "documents", done: counts.documentsDone, total: counts.documents)
        let images = Count(name: "images", done: counts.imagesDone, total: counts.images)
        self.counts = documents.total < images.total ? [images, documents] : [documents, images]
        self.transfers = transfers
    }

    /// The progress of a prefetch.
    init(done: Int, of total: Int, _ transfers: TransferCounts) {
        counts = [Count(name: "URLs", done: done, total: total)]
        self.transfers = transfers
    }

    /// The time without a byte after which a waiting host is shown.
    private static let patience: Duration = .seconds(5)

    /// Progress as words, for a log.
    ///
    /// - Parameter now: The current time.
    /// - Returns: One line.
    func line(at now: ContinuousClock.Instant = .now) -> String {
        (counts.map(\.text) + ["\(transfers.receivedBytes.asBytes)", waiting(at: now)])
            .compactMap(\.self).joined(separator: ", ")
    }

    /// The host that has sent nothing for some time: `waiting for slow.example (12 s)`.
    private func waiting(at now: ContinuousClock.Instant) -> String? {
        guard let oldest = transfers.oldest, now - oldest.start >= Self.patience else { return nil }
        let name = hostName(oldest.url).map(printable) ?? "a host"
        return "waiting for \(name) (\((now - oldest.start).components.seconds) s)"
    }

    /// Progress as a bar that fits into a terminal; the last parts are omitted first.
    ///
    /// - Parameters:
    ///   - columns: The width of the terminal.
    ///   - speed: The measured speed.
    ///   - isASCII: Whether to use only ASCII characters.
    ///   - now: The current time.
    /// - Returns: One line that is shorter than the terminal's width.
    func bar(
        columns: Int, speed: Speed = Speed(), isASCII: Bool = false,
        at now: ContinuousClock.Instant = .now
    ) -> String {
        guard let first = counts.first else { return "" }
        // The time of a host that does not answer is not known.
        let left = waiting(at: now) ?? speed.timeLeft(first, at: now)
        let others = [
            left, transfers.receivedBytes.asBytes, speed.rate.map { "\($0.asBytes)/s" },
        ]
        var parts = counts.map(\.text) + others.compactMap(\.self)
        while parts.count > 1, parts.joined(separator: ", ").count > columns - 2 {
            parts.removeLast()
        }
        let text = parts.joined(separator: ", ")
        let width = min(30, columns - text.count - 3)
        guard width >= 5 else { return String(text.prefix(max(columns - 1, 0))) }
        let share = first.total == 0 ? 0 : first.done * width / first.total
        let signs = isASCII ? ("#", "-") : ("█", "░")
        return String(repeating: signs.0, count: share)
            + String(repeating: signs.1, count: width - share) + "  " + text
    }
}

/// The speed of a command.
struct Speed {
    private let start: ContinuousClock.Instant
    /// The numbers of bytes received at some times, the latest last.
    private var samples: [(time: ContinuousClock.Instant, bytes: Int)] = []

    /// The time over which the rate is measured.
    private static let window: Duration = .seconds(5)

    init(start: ContinuousClock.Instant = .now) { self.start = start }

    mutating func add(_ bytes: Int, at now: ContinuousClock.Instant) {
        samples.append((now, bytes))
        let first = samples.firstIndex { now - $0.time <= Self.window } ?? samples.endIndex
        samples.removeFirst(min(first, samples.count - 1))
    }

    /// Bytes per second; nil if there are too few samples or nothing arrives.
    var rate: Int? {
        guard let first = samples.first, let last = samples.last,
            last.time - first.time >= .seconds(1), last.bytes > first.bytes
        else { return nil }
        return Int(Double(last.bytes - first.bytes) / ((last.time - first.time) / .seconds(1)))
    }

    /// The remaining time if the speed stays the same: `1:05 left`; nil in the first seconds.
    func timeLeft(_ count: Progress.Count, at now: ContinuousClock.Instant) -> String? {
        let elapsed = now - start
        guard elapsed >= .seconds(3), count.done > 0, count.done < count.total else { return nil }
        let seconds = Int(
            (elapsed / .seconds(1)) * Double(count.total - count.done) / Double(count.done))
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest) left"
    }
}
