internal import CBoundedParsers
internal import CCmarkGFM
import DocumentSyntax
import Locks

/// The tree that cmark-gfm parses from a Markdown text, with the extensions table, strikethrough,
/// autolink, task list and footnotes.
struct MarkdownTree: ~Copyable {
    /// A memory arena for this tree, which is freed all at once.
    ///
    /// Without it, nearly a third of the parsing time went into allocating and freeing thousands of
    /// small pieces. cmark's own arena is global to the process; this one belongs to one tree. Its
    /// memory counts for the ``ParserLimits`` of the document.
    private let arena: OpaquePointer
    private let root: OpaquePointer

    /// Parses a text; nil if a limit of ``ParserLimits`` is exceeded.
    init?(_ bytes: UnsafeBytes) {
        let arena: OpaquePointer = parser_arena_new()
        guard let root = Self.parse(bytes, in: arena) else {
            parser_arena_free(arena)
            return nil
        }
        self.arena = arena
        self.root = root
    }

    deinit { parser_arena_free(arena) }

    private static func parse(_ bytes: UnsafeBytes, in arena: OpaquePointer) -> OpaquePointer? {
        if MarkdownTableCost.isExcessive(bytes) {
            ParserLimits.exceed(.tables)
            return nil
        }
        let parser = bytes.withMemoryRebound(to: CChar.self) { text in
            parser_begin_markdown(
                arena, extensions.pointers, extensions.pointers.count, text.baseAddress, text.count)
        }
        guard let parser else { return nil }
        return inlineParsing.withLock { _ in
            parser_finish_markdown(arena, parser, bytes.count)
        }
    }

    /// Visits each node on entry and, unless it is a leaf, on exit.
    func forEach(_ visit: (OpaquePointer, cmark_node_type, _ isEntering: Bool) -> Void) {
        // To return a text, cmark may have to copy it.
        let outer = parser_arena_use(arena)
        defer { _ = parser_arena_use(outer) }
        guard let iterator = cmark_iter_new(root) else { return }
        defer { cmark_iter_free(iterator) }
        while true {
            let event = cmark_iter_next(iterator)
            guard event != CMARK_EVENT_DONE, let node = cmark_iter_get_node(iterator) else {
                return
            }
            visit(node, cmark_node_get_type(node), event == CMARK_EVENT_ENTER)
        }
    }

    /// A lock that is held while cmark parses inlines.
    ///
    /// During that time cmark keeps its extensions' special characters in global variables, and the
    /// end of another parse would reset them.
    private static let inlineParsing = Locked(false)

    private static let extensions: Extensions = {
        cmark_gfm_core_extensions_ensure_registered()
        let names = ["table", "strikethrough", "autolink", "tasklist"]
        return Extensions(pointers: names.map { cmark_find_syntax_extension($0) })
    }()
}

// @unchecked Sendable: the extensions are made once and never changed.
private struct Extensions: @unchecked Sendable {
    let pointers: [OpaquePointer?]
}

/// The versions of the parsers that this module uses.
package enum ParserVersions {
    package static var cmark: String { String(cString: cmark_version_string()) }
}

/// A check, before cmark parses a text, that parsing takes about linear memory.
///
/// cmark copies a definition's URL and title for each link or image that uses it, without a limit.
enum MarkdownCost {
    /// The limit that the text exceeds, as text that follows "the document has"; nil if it exceeds
    /// none.
    static func excess(in bytes: UnsafeBytes, body: Int) -> String? {
        var brackets = 0
        var longest = 0
        // In any document that is not hostile, the texts that are read here do not overlap.
        var budget = 8 * bytes.count + 65_536
        var runEnd = body
        var definitionsInRun = 0
        for close in bytes.places(of: .closeBracket, from: body) {
            let next = close + 1 < bytes.count ? bytes[close + 1] : .space
            // A link with its own destination uses no definition.
            if next != .openParenthesis { brackets += 1 }
            guard next == .colon else { continue }
            definitionsInRun = close < runEnd ? definitionsInRun + 1 : 0
            if definitionsInRun >= DestinationScanner.mostDefinitionsInRun { continue }
            runEnd = endOfRun(bytes, from: skipWhitespace(bytes, from: close + 2))
            let length = definitionLength(bytes, from: close + 2)
            budget -= length
            longest = max(longest, length)
            if budget < 0 { return "too many nested definitions" }
        }
        // A definition is used at most as often as there are brackets.
        return brackets * longest > mostCopied + 64 * bytes.count
            ? "a very long definition and too many uses" : nil
    }

    private static let mostCopied = 512 << 20

    /// An upper bound of the length of the URL and the title that begin at `start`.
    private static func definitionLength(_ bytes: UnsafeBytes, from start: Int) -> Int {
        var index = endOfRun(bytes, from: skipWhitespace(bytes, from: start))
        let title = skipWhitespace(bytes, from: index)
        guard title > index, title < bytes.count else { return index - start }
        let close: UInt8
        switch bytes[title] {
        case .doubleQuote, .singleQuote: close = bytes[title]
        case .openParenthesis: close = .closeParenthesis
        default: return index - start
        }
        index = title + 1
        while index < bytes.count, bytes[index] != close {
            index += bytes[index] == .backslash ? 2 : 1
        }
        return min(index, bytes.count) - start
    }

    private static func endOfRun(_ bytes: UnsafeBytes, from start: Int) -> Int {
        var index = start
        while index < bytes.count, !bytes[index].isMarkdownSpace { index += 1 }
        return index
    }

    /// The offset of the next character that is neither whitespace nor `>`.
    ///
    /// A definition ends at a blank line, but skipping one does no harm.
    private static func skipWhitespace(_ bytes: UnsafeBytes, from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index].isMarkdownSpace || bytes[index] == .greater {
            index += 1
        }
        return index
    }
}

/// A check, before cmark parses a text, that its tables take about linear memory and time.
///
/// cmark completes each row of a table to the columns of its header. It walks over all cells of a
/// row to add one. For each line that looks like the delimiter row of a table, it reads the whole
/// paragraph before it, and for each line of that paragraph goes back to the previous pipe.
struct MarkdownTableCost {
    /// The most cells that are added to rows; later versions of cmark-gfm have the same limit.
    private static let mostCompletedCells = 1 << 19
    private static let mostSteps = 1 << 30

    private let text: UnsafeBytes
    private var pipes: ForwardSearch
    private var lineFeeds: ForwardSearch
    private var returns: ForwardSearch
    private var cells = 0
    private var steps = 0

    /// The lines since the last one that ends any paragraph and any table.
    private struct Run {
        var start: Int
        var lastPipe: Int?
        /// The steps for reading the lines once.
        var steps = 0
        /// The columns of the widest delimiter row.
        var columns = 0
    }

    private var run = Run(start: 0)

    /// Whether a text without front matter has tables over the limits.
    static func isExcessive(_ text: UnsafeBytes) -> Bool {
        var cost = MarkdownTableCost(text)
        return cost.isExcessive()
    }

    private init(_ text: UnsafeBytes) {
        self.text = text
        pipes = ForwardSearch(.pipe, in: text)
        lineFeeds = ForwardSearch(.lineFeed, in: text)
        returns = ForwardSearch(.carriageReturn, in: text)
    }

    private mutating func isExcessive() -> Bool {
        var start = 0
        while start < text.count {
            // cmark ends lines at a carriage return, too.
            let end = min(
                lineFeeds.first(from: start) ?? text.count,
                returns.first(from: start) ?? text.count)
            add(start..<end)
            if cells > Self.mostCompletedCells || steps > Self.mostSteps { return true }
            let isPair = text[end...].starts(with: [.carriageReturn, .lineFeed])
            start = end + (isPair ? 2 : 1)
        }
        return false
    }

    private mutating func add(_ line: Range<Int>) {
        let first = line.first { !Self.isContainer(text[$0]) }
        guard let first else {
            run = Run(start: line.upperBound)
            return
        }
        if beginsItem(line, first) { run = Run(start: line.lowerBound) }
        let rewind = text[first] == .pipe ? 0 : line.lowerBound - (run.lastPipe ?? run.start)
        let pipes = countPipes(in: line)
        if run.columns > 0 {
            steps += pipes * pipes
            cells += max(0, run.columns - pipes - 1)
        }
        if isDelimiterRow(first..<line.upperBound, pipes) {
            steps += run.steps + pipes * pipes + line.upperBound - run.start
            run.columns = max(run.columns, pipes + 1)
        }
        run.steps += max(0, rewind) + pipes * pipes
    }

    /// Blockquotes and indentation, which can be before each line of a paragraph.
    private static func isContainer(_ byte: UInt8) -> Bool {
        byte == .space || byte == .tab || byte == .greater
    }

    /// Whether the line begins a list item, which ends any paragraph.
    ///
    /// Items that are indented further are ignored, because they may be text.
    private func beginsItem(_ line: Range<Int>, _ first: Int) -> Bool {
        guard first - line.lowerBound < 4, first + 2 < line.upperBound else { return false }
        switch text[first] {
        case .hyphen, .asterisk, UInt8(ascii: "+"): break
        default: return false
        }
        return text[first + 1] == .space && !text[first + 2].isMarkdownSpace
    }

    private mutating func countPipes(in line: Range<Int>) -> Int {
        var count = 0
        var start = line.lowerBound
        while let pipe = pipes.first(from: start), pipe < line.upperBound {
            count += 1
            run.lastPipe = pipe
            start = pipe + 1
        }
        return count
    }

    private func isDelimiterRow(_ line: Range<Int>, _ pipes: Int) -> Bool {
        switch text[line.lowerBound] {
        case .pipe, .colon: break
        // A line of hyphens alone makes a heading.
        case .hyphen where pipes > 0 || text[line].contains(.colon): break
        default: return false
        }
        return text[line].contains(.hyphen)
            && text[line].allSatisfy { byte in
                byte == .pipe || byte == .colon || byte == .hyphen || byte.isMarkdownSpace
            }
    }
}
