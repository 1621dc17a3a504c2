import FetchCache
import FoundationEssentials
import Locks
import Pictures
import Records
import Reports
import Secrets
import Sites

/// The failures that a site is known to have, so that a bake fails only for new ones.
///
/// ```text
/// {"imgbake-baseline":1}
/// {"code":"http-status","url":"https://…"}
/// {"code":"unreadable-file","document":"docs/a.md"}
/// ```
///
/// A failure of an image is known by its code and URL, whichever document names it, and that of an
/// image that leads nowhere by its document too, because the URL may be relative. Any other failure
/// is known by its code and document. Lines are sorted.
package final class Baseline: Sendable {
    /// A known failure.
    struct Failure: Codable, Hashable {
        var code: String
        /// As in a lockfile, without signatures.
        var url: String?
        /// Relative to the site.
        var document: String?
    }

    private static let form = LineFile(
        heading: "imgbake-baseline", code: .invalidBaseline,
        remedy: "restore the file from version control, or delete it and give --update-baseline")

    private let file: CommittedFile
    /// Whether the file is written anew, with all failures of the run.
    private let isUpdated: Bool
    /// The numbers of the lines.
    private let known: [Failure: Int]
    /// The failures of images, by their URLs.
    private let knownByURL: [String: [Failure]]
    private let found = Locked<Set<Failure>>([])
    /// The documents whose failures the run could not find; empty for one whose name is not known.
    private let unread = Locked<Set<String>>([])

    /// Reads the file; without one, nothing is known.
    ///
    /// - Parameters:
    ///   - path: The absolute path.
    ///   - name: The path in messages.
    ///   - isUpdated: Whether ``finish()`` writes the file.
    /// - Throws: ``FatalProblem`` if the file cannot be used; ``BakeError`` if there is none and none
    ///   is to be written.
    package init(_ path: String, named name: String, isUpdated: Bool) throws {
        file = CommittedFile(path: path, name: name)
        self.isUpdated = isUpdated
        let read = try file.read(Self.parse)?.content
        guard read != nil || isUpdated else {
            throw BakeError("there is no baseline \(name); '--update-baseline' writes one")
        }
        known = read ?? [:]
        knownByURL = Dictionary(grouping: known.keys.filter { $0.url != nil }) { $0.url ?? "" }
    }

    /// A message, as a warning if it is about a known failure.
    ///
    /// - Parameters:
    ///   - diagnostic: The message.
    ///   - document: Its document, relative to the site; nil for none.
    /// - Returns: The message.
    func judged(_ diagnostic: Diagnostic, in document: String?) -> Diagnostic {
        // A failure of the whole run cannot be told from the next one.
        guard diagnostic.severity == .error, diagnostic.url != nil || document != nil else {
            return diagnostic
        }
        let hasDocument = diagnostic.url == nil || diagnostic.code == .missingImage
        let failure = Failure(
            code: diagnostic.code.rawValue, url: diagnostic.url.map(lockedURL),
            document: hasDocument ? document : nil)
        // An image that cannot be fetched cannot be locked or stored either, and with a lockfile or
        // offline it is not requested again. It stays on its host, where a check finds it.
        let isConsequence = [.notLocked, .notInCache, .remoteImage].contains(diagnostic.code)
        let causes = isConsequence ? failure.url.flatMap { knownByURL[$0] } ?? [] : []
        found.withLock { $0.formUnion(causes.isEmpty ? [failure] : causes) }
        guard isUpdated || known[failure] != nil || !causes.isEmpty else { return diagnostic }
        var judged = diagnostic
        judged.severity = .warning
        guard let cause = causes.map(\.code).min() else {
            judged.reason += "; known by the baseline"
            return judged
        }
        judged.reason = "known by the baseline as \(cause)"
        if let code = DiagnosticCode(rawValue: cause) {
            judged.remedy = DiagnosticTable.row(code).remedy
        }
        return judged
    }

    /// Notes that the run could not find all failures of a document.
    ///
    /// - Parameter document: Relative to the site; nil if it is not known.
    func noteUnread(_ document: String?) { unread.withLock { _ = $0.insert(document ?? "") } }

    /// Whether a failure may be one of a document that the run could not read.
    private func mayBeUnread(_ failure: Failure) -> Bool {
        let unread = unread.withLock(\.self)
        // Any document may name the image of a URL.
        guard let document = failure.document, !unread.contains("") else { return !unread.isEmpty }
        return unread.contains(document)
    }

    /// Whether a bake finds the failures with a code; only a check finds the others.
    static func isOfBake(_ code: DiagnosticCode) -> Bool {
        ![
            .remoteImage, .remoteRequest, .missingImage, .mixedShards, .publishedImageDamaged,
            .publishedImageUnknown,
        ].contains(code)
    }

    /// Ends a run that has looked at the whole site: names failures that are gone, or writes the file.
    ///
    /// Known failures stay in the file if the run could not read the document that may have them.
    ///
    /// - Parameter isJudged: Whether the run finds all failures with a code. Known failures with other
    ///   codes stay in the file too.
    /// - Returns: The messages.
    func finish(judging isJudged: (DiagnosticCode) -> Bool) -> [Diagnostic] {
        let found = found.withLock(\.self)
        let others = known.filter { failure, _ in
            !found.contains(failure)
                && (mayBeUnread(failure)
                    || DiagnosticCode(rawValue: failure.code).map(isJudged) == false)
        }
        if isUpdated { return write(found.union(others.keys)) }
        let gone = known.filter { !found.contains($0.key) && others[$0.key] == nil }
        return gone.sorted { $0.value < $1.value }.map {
            let (failure, line) = $0
            let subject = failure.document.map { "'\($0)' has" } ?? "the image has"
            let problem = Problem(.failureFixed, "\(subject) no failure \(failure.code) any more")
            return Diagnostic(
                problem, .note, at: Diagnostic.Place(file.name, line: line), url: failure.url)
        }
    }

    private func write(_ failures: Set<Failure>) -> [Diagnostic] {
        let bytes = Self.form.encoded(failures.map { canonicalText(of: $0) }.sorted())
        do throws(FatalProblem) {
            let old = try? file.read { bytes throws(LineProblem) in bytes }
            if old?.bytes != bytes { try file.write(bytes) }
            return []
        } catch {
            return [Diagnostic(error.problem, .error, at: error.place)]
        }
    }
}

extension Baseline {
    private static func parse(_ bytes: [UInt8]) throws(LineProblem) -> [Failure: Int] {
        var known: [Failure: Int] = [:]
        for (line, text) in try form.lines(of: bytes) {
            guard let failure = try? JSONDecoder().decode(Failure.self, from: Data(text)),
                DiagnosticCode(rawValue: failure.code) != nil,
                failure.url != nil || failure.document != nil
            else { throw form.problem(line, "this is not a line of a baseline") }
            known[failure] = known[failure] ?? line
        }
        return known
    }
}

/// What the settings make of messages: which codes are left out, the rules of `failures:`, and the
/// baseline.
struct MessagePolicy: Sendable {
    var ignoredCodes: [DiagnosticCode]
    /// The name of the site in messages.
    var site: String
    var failures: FailurePolicy
    /// Nil for none.
    var baseline: Baseline?

    /// A message as the settings want it; nil for none.
    func judged(_ diagnostic: Diagnostic) -> Diagnostic? {
        let folder = site.hasSuffix("/") ? site : site + "/"
        let document = (diagnostic.places.first?.document).map { name in
            name.hasPrefix(folder) ? String(name.dropFirst(folder.count)) : name
        }
        if diagnostic.hidesImages { baseline?.noteUnread(document) }
        if ignoredCodes.contains(diagnostic.code) { return nil }
        let judged = failures.judged(diagnostic, in: document)
        return judged.map { baseline?.judged($0, in: document) ?? $0 }
    }
}

/// The largest sizes of published images.
package struct Budget: Hashable, Sendable {
    /// The bytes of all images of a page together; nil, the default, for any.
    package var page: Int?
    /// The bytes of one image; nil, the default, for any.
    package var image: Int?

    package init() {}

    /// Whether the images of one document are within the budget.
    func holds(_ images: [BakedImage]) -> Bool {
        images.allSatisfy { $0.byteCount <= image ?? .max } && total(images) <= page ?? .max
    }

    /// The bytes of different files; one that is named twice is loaded once.
    private func total(_ images: [BakedImage]) -> Int {
        Dictionary(images.map { ($0.fileName, $0.byteCount) }, uniquingKeysWith: { $1 })
            .values.reduce(0, +)
    }

    /// The diagnostics about the images of one document.
    ///
    /// - Parameters:
    ///   - uses: The images and their places.
    ///   - document: The name of the document in messages.
    /// - Returns: One for each image that is too large, and one for the document.
    func diagnostics(_ uses: [ImageUse], in document: String) -> [Diagnostic] {
        let images = uses.map(\.image)
        var diagnostics = uses.compactMap { use -> Diagnostic? in
            guard let image, use.image.byteCount > image else { return nil }
            let problem = Problem(
                .imageOverBudget,
                "the image has \(use.image.byteCount.asBytes), more than the budget of "
                    + image.asBytes)
            return Diagnostic(problem, .error, at: use.place, url: use.image.url)
        }
        if let page, total(images) > page {
            let count = Set(images.map(\.fileName)).count
            let problem = Problem(
                .pageOverBudget,
                "its \(count) images have \(total(images).asBytes), more than the budget of "
                    + page.asBytes)
            diagnostics.append(Diagnostic(problem, .error, at: Diagnostic.Place(document)))
        }
        return diagnostics
    }
}
