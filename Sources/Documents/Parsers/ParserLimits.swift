internal import CBoundedParsers
import DocumentSyntax
import Locks

/// The limits on what cmark may use for one document, whatever it does with it.
///
/// The trees of a document count together, those of embedded texts too.
///
/// Checks before the parse, such as ``MarkdownTableCost`` and ``YAMLCost``, know what made a parser
/// slow once. These limits hold for what they do not know. Only one document at a time may need
/// more than the usual memory, so the memory of all does not grow with the number of cores.
enum ParserLimits {
    /// The memory that every document may use, in bytes.
    static let usualMemory = 64 << 20
    /// The memory of a large document for each of its bytes, besides ``usualMemory``.
    static let memoryPerByte = 256
    /// The largest memory of any document, in bytes.
    static let mostMemory = 1 << 30
    /// The processor time of cmark for every document, in milliseconds.
    ///
    /// It ends work that no other limit expects. Usual documents take less than a hundredth of it.
    static let usualMilliseconds = 2_000
    /// The time of a large document for each of its MiB, besides ``usualMilliseconds``.
    static let millisecondsPerMiB = 250
    /// The most places of a document that may name an image.
    static let mostPlaces = 200_000
    /// How often a parser may replace its memory.
    ///
    /// Parsers that copy the rest of a text for each link reach this limit before the other ones.
    private static let turnovers = 8

    /// The size of the largest document for which ``usualMemory`` is tried first, in bytes.
    private static let largestUsualDocument = usualMemory / 16

    /// Documents that need more than the usual memory are parsed one after the other.
    private static let largeDocuments = Locked(true)

    /// Calls `parse` with the limits of a document.
    ///
    /// If the usual memory is not enough, `parse` is called a second time.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the document.
    ///   - parse: Reads the document, with all parsers that it needs.
    /// - Returns: The result, and what the document has too much of, as text that follows "the
    ///   document has".
    static func run<Result>(
        byteCount: Int, _ parse: () -> Result
    ) -> (result: Result, excess: String?) {
        if byteCount <= largestUsualDocument {
            let (result, excess) = attempt(memory: usualMemory, of: byteCount, parse)
            guard excess == .memory || excess == .work else { return (result, excess?.text) }
        }
        return largeDocuments.withLock { _ in
            let most = min(mostMemory, usualMemory + memoryPerByte * byteCount)
            let (result, excess) = attempt(memory: most, of: byteCount, parse)
            return (result, excess?.text)
        }
    }

    static func attempt<Result>(
        memory: Int, of byteCount: Int = 0, _ parse: () -> Result
    ) -> (Result, Excess?) {
        parser_limits_begin(
            parser_limits(
                memory: memory, work: turnovers * memory,
                milliseconds: usualMilliseconds + (byteCount >> 20) * millisecondsPerMiB,
                places: mostPlaces))
        let result = parse()
        return (result, Excess(parser_limits_end()))
    }

    /// Counts one more place that may name an image.
    ///
    /// - Returns: Whether there are not too many; if there are, the whole document is refused.
    static func takePlace() -> Bool { parser_limits_take_place() }

    /// Whether a limit of the current document is exceeded, so that its findings will not be used.
    static var areExceeded: Bool { parser_limits_are_exceeded() }

    /// Reports that a text exceeds a limit that was checked before it was parsed.
    static func exceed(_ excess: Excess) { parser_limits_exceed(excess.code) }

    /// The kind of limit that a document exceeds.
    enum Excess: CaseIterable {
        case memory, work, time, tables, places

        fileprivate var code: parser_excess {
            switch self {
            case .memory: parser_excess_memory
            case .work: parser_excess_work
            case .time: parser_excess_time
            case .tables: parser_excess_tables
            case .places: parser_excess_places
            }
        }

        fileprivate init?(_ code: parser_excess) {
            guard let excess = Self.allCases.first(where: { $0.code == code }) else { return nil }
            self = excess
        }

        /// Text that follows "the document has".
        fileprivate var text: String {
            switch self {
            case .memory: "a structure that takes too much memory to parse"
            case .work, .time: "a structure that takes too much time to parse"
            case .tables: "tables with too many cells"
            case .places: "more than \(mostPlaces) images"
            }
        }
    }
}
