import Dispatch
import Locks

extension [Diagnostic] {
    /// The same messages, with those of one cause, and about one image if they name any, merged into
    /// one with all its places.
    ///
    /// They are in the order of documents and places.
    package func merged() -> [Diagnostic] {
        // An image that is on every page has as many places as the site has documents.
        var known: [[String]: (index: Int, places: Set<Diagnostic.Place>)] = [:]
        var result: [Diagnostic] = []
        for diagnostic in sorted(by: { $0.order < $1.order }) {
            // Browsers load no file: URL, whichever it is, so one message is enough for all. An image
            // of the site has another path in each folder.
            let image =
                diagnostic.code == .fileURL
                ? "file:" : diagnostic.url?.trimmingPrefix(/(\.\.?\/)+/) ?? ""
            let key = [
                diagnostic.code.rawValue, diagnostic.severity.rawValue, String(image),
                diagnostic.reason,
            ]
            if let index = known[key]?.index {
                for place in diagnostic.places
                where known[key]?.places.insert(place).inserted == true {
                    result[index].places.append(place)
                }
            } else {
                known[key] = (result.count, Set(diagnostic.places))
                result.append(diagnostic)
            }
        }
        return result
    }

    /// The same messages, with those about many images of one host with one cause merged into one.
    ///
    /// - Parameter limit: The number of images of one host that are listed individually.
    /// - Returns: The messages. A merged message names the host and the first places.
    package func grouped(limit: Int = 5) -> [Diagnostic] {
        func key(_ diagnostic: Diagnostic) -> [String]? {
            let isOne = DiagnosticTable.oneLineCodes.contains(diagnostic.code)
            return (isOne ? "" : diagnostic.url.flatMap(hostName)).map {
                [$0, diagnostic.code.rawValue, diagnostic.severity.rawValue, diagnostic.cause]
            }
        }
        let groups = Dictionary(grouping: self, by: key)
        var told: Set<[String]> = []
        return compactMap { diagnostic in
            guard let key = key(diagnostic), let group = groups[key],
                group.count > (key[0].isEmpty ? 1 : limit)
            else { return diagnostic }
            guard told.insert(key).inserted else { return nil }
            var one = diagnostic
            let host = key[0].isEmpty ? "" : " of \(key[0])"
            one.url = "\(group.count) images\(host)"
            one.places = group.flatMap(\.places)
            one.remedy += "; -v lists each image"
            return one
        }
    }
}

extension Diagnostic {
    fileprivate var order: (String, Int, Int, String, String) {
        let place = places.first
        return (place?.document ?? "", place?.line ?? 0, place?.column ?? 0, url ?? "", reason)
    }
}

/// The host of an absolute URL, with its port; nil for anything else.
package func hostName(_ url: String) -> String? {
    guard let scheme = url.firstRange(of: "://") else { return nil }
    let host = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
    return host.isEmpty ? nil : String(host)
}

/// Collects the diagnostics of a bake, and passes each on as it arrives.
///
/// A separate thread passes them on, so that a full pipe at standard error does not block the bake.
package final class DiagnosticLog: Sendable {
    private let tell: @Sendable (Diagnostic) -> Void
    private let collected = Locked<[Diagnostic]>([])
    private let queue = DispatchQueue(label: "imgbake.diagnostics")
    /// The message as policies want it; nil for none.
    private let judge: @Sendable (Diagnostic) -> Diagnostic?

    package init(
        judge: @escaping @Sendable (Diagnostic) -> Diagnostic? = { $0 },
        tell: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.judge = judge
        self.tell = tell
    }

    package var all: [Diagnostic] { collected.withLock { $0 } }

    /// Adds the diagnostics of one document; they stay together even if other documents add theirs.
    package func add(_ diagnostics: [Diagnostic]) { addJudged(diagnostics.compactMap(judge)) }

    /// Adds diagnostics about which policies do not decide.
    package func addJudged(_ diagnostics: [Diagnostic]) {
        guard !diagnostics.isEmpty else { return }
        collected.withLock { $0 += diagnostics }
        queue.async { [tell] in diagnostics.forEach(tell) }
    }

    /// Returns when all added diagnostics have been passed on.
    package func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
