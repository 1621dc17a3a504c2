import DocumentSyntax
internal import Yams

/// Reads a YAML block and finds the scalars that name images.
///
/// - Parameters:
///   - bytes: The document.
///   - content: The range of the block.
///   - keys: The keys that name images.
/// - Returns: The result, or the reason why the block was not read.
func yamlReading(
    of bytes: UnsafeBytes, _ content: Range<Int>, keys: ImageKeys
) -> Result<FrontMatter.Reading, FrontMatter.ReadError> {
    let text = UnsafeBytes(rebasing: bytes[content])
    var walk = ImageScalars(keys: keys)
    return visitYAML(text) { walk.visit($0, $1) }
        .map { walk.reading(of: text, at: content.lowerBound) }
}

/// Parses YAML, and visits each node with its key path, a collection before what is in it.
///
/// Lists do not add to a path. Keys are nodes too, with an empty path.
///
/// - Returns: The reason why the text was not read to its end, if it was not.
func visitYAML(
    _ text: UnsafeBytes, _ visit: (Node, [String]) -> Void
) -> Result<Void, FrontMatter.ReadError> {
    if let excess = YAMLCost.excess(in: text) { return .failure(.excess(excess)) }
    guard let yaml = text.string(0..<text.count) else { return .failure(.syntax) }
    let root: Node?
    do {
        // The basic resolver skips the tags of scalars, which are not needed and take most of the
        // time.
        root = try Yams.compose(yaml: yaml, .basic)
    } catch {
        return .failure(.syntax)
    }
    var stack: [(node: Node, path: [String])] = root.map { [($0, [])] } ?? []
    var steps = 0
    while let (node, path) = stack.popLast() {
        steps += 1
        guard steps < 1_000_000 else {
            return .failure(.excess("front matter with too many aliases"))
        }
        visit(node, path)
        switch node {
        case .scalar, .alias: break
        case .sequence(let sequence):
            for element in sequence.reversed() { stack.append((element, path)) }
        case .mapping(let mapping):
            for (key, value) in mapping.reversed() {
                let name = key.scalar?.string ?? ""
                stack.append((value, name == "<<" ? path : path + [name]))
                stack.append((key, []))
            }
        }
    }
    return .success(())
}

/// Collects the scalars of a tree that name images.
private struct ImageScalars {
    let keys: ImageKeys

    /// A scalar that names an image in at least one place that uses it.
    private struct Candidate {
        var path: [String]
        var scalar: Node.Scalar
    }

    private var candidates: [YAMLMark: Candidate] = [:]
    /// The places of scalars that are not images.
    private var others: Set<YAMLMark> = []
    private var hasher = Hasher()

    init(keys: ImageKeys) { self.keys = keys }

    mutating func visit(_ node: Node, _ path: [String]) {
        switch node {
        case .scalar(let scalar): visit(scalar, path)
        case .sequence(let sequence): combine(1, count: sequence.count)
        case .mapping(let mapping): combine(2, count: mapping.count)
        case .alias: combine(3, count: 0)
        }
    }

    private mutating func combine(_ kind: Int, count: Int) {
        hasher.combine(kind)
        hasher.combine(count)
    }

    private mutating func visit(_ scalar: Node.Scalar, _ path: [String]) {
        guard let mark = scalar.mark.map(YAMLMark.init), keys.includes(path) else {
            hasher.combine(scalar.string)
            if let mark = scalar.mark { others.insert(YAMLMark(mark)) }
            return
        }
        // The caller decides which candidates become slots, and hashes the bytes around those.
        combine(4, count: Int(scalar.style.rawValue))
        if candidates[mark] == nil { candidates[mark] = Candidate(path: path, scalar: scalar) }
    }

    /// The collected strings, with their ranges in the document.
    ///
    /// - Parameters:
    ///   - text: The block.
    ///   - start: The offset of the block in the document.
    /// - Returns: The strings in the order of the text.
    consuming func reading(of text: UnsafeBytes, at start: Int) -> FrontMatter.Reading {
        var reading = FrontMatter.Reading(structure: hasher.finalize())
        var index = YAMLMark.Index(text)
        for mark in candidates.keys.sorted() {
            guard let candidate = candidates[mark] else { continue }
            let place = index.offset(of: mark)
            let offset = place ?? 0
            let url = Array(candidate.scalar.string.utf8)
            var string = MetadataString(
                path: candidate.path, range: start + offset..<start + offset, url: url,
                isUncertain: true)
            let style = YAMLScalar.Style(candidate.scalar.style)
            if place != nil, !others.contains(mark), let style,
                let found = YAMLScalar(in: text, at: offset, style: style, value: url)
            {
                string.range = start + found.range.lowerBound..<start + found.range.upperBound
                string.url = found.url
                string.isUncertain = false
            }
            reading.strings.append(string)
        }
        return reading
    }
}

extension YAMLMark {
    fileprivate init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
}

extension YAMLScalar.Style {
    /// - Returns: nil for a block scalar, whose text cannot be replaced on its own.
    fileprivate init?(_ style: Node.Scalar.Style) {
        switch style {
        case .any, .plain: self = .plain
        case .singleQuoted: self = .singleQuoted
        case .doubleQuoted: self = .doubleQuoted
        case .literal, .folded: return nil
        }
    }
}

/// A check, before YAML is parsed, that parsing takes little time and stack.
package enum YAMLCost {
    private static let largest = 256 << 10
    private static let deepest = 100
    private static let mostCopies = 1_000

    /// The limit that the text exceeds, as text that follows "the document has"; nil if it exceeds
    /// none.
    static func excess(in text: UnsafeBytes) -> String? {
        if text.count > largest { return "front matter of more than 256 KiB" }
        if isDeep(text) { return "front matter nested too deeply" }
        return copies(in: text) > mostCopies ? "front matter with too many aliases" : nil
    }

    /// Whether aliases may expand the text to more than the parser should be given.
    package static func hasManyAliases(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBufferPointer { copies(in: $0) > mostCopies }
    }

    /// Whether the nesting may exceed the parser's stack.
    ///
    /// In block style, each level is indented further by whitespace, a dash or a question mark.
    /// Brackets in strings are counted too. If a closing bracket in a string hides open ones, the
    /// parser's own limit applies.
    private static func isDeep(_ text: UnsafeBytes) -> Bool {
        var open = 0
        var marks = 0
        var isLeading = true
        for index in text.indices {
            switch text[index] {
            case .openBracket, .openBrace: open += 1
            case .closeBracket, .closeBrace: open = max(0, open - 1)
            default: break
            }
            if text[index].isLineEnd {
                (isLeading, marks) = (true, 0)
            } else if isLeading {
                let isMark = text[index] == .hyphen || text[index] == .question
                let next = index + 1 < text.count ? text[index + 1] : .lineFeed
                isLeading = isMark && next.isMarkdownSpace || text[index].isMarkdownSpace
                marks += 1
            }
            if open > deepest || marks > 2 * deepest { return true }
        }
        return false
    }

    /// The number of times that a part of the text may be expanded, since nested anchors multiply.
    private static func copies(in text: UnsafeBytes) -> Int {
        var uses: [[UInt8]: Int] = [:]
        for name in names(after: .ampersand, in: text) { uses[name] = 0 }
        guard !uses.isEmpty else { return 0 }
        for name in names(after: .asterisk, in: text) where uses[name] != nil {
            uses[name, default: 0] += 1
        }
        var product = 1
        for count in uses.values {
            product = product.multipliedReportingOverflow(by: 1 + count).partialValue
            if product > mostCopies || product <= 0 { return mostCopies + 1 }
        }
        return product
    }

    private static func names(after sign: UInt8, in text: UnsafeBytes) -> [[UInt8]] {
        text.places(of: sign).map { Array(text[($0 + 1)...].prefix(while: isOfName)) }
            .filter { !$0.isEmpty }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == .hyphen || byte == UInt8(ascii: "_")
    }
}
