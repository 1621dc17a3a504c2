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
    if let excess = YAMLCost.excess(in: text) { return .failure(.excess(excess)) }
    guard let yaml = bytes.string(content) else { return .failure(.syntax) }
    let root: Node?
    do {
        // The basic resolver skips the tags of scalars, which are not needed and take most of the
        // time.
        root = try Yams.compose(yaml: yaml, .basic)
    } catch {
        return .failure(.syntax)
    }
    guard let root else { return .success(FrontMatter.Reading()) }
    var walk = YAMLWalk(keys: keys)
    guard walk.visit(root) else {
        return .failure(.excess("front matter with too many aliases"))
    }
    return .success(walk.reading(of: text, at: content.lowerBound))
}

/// One pass over the tree of a block that collects the scalars that name images.
private struct YAMLWalk {
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
    private var steps = 0

    private static let mostSteps = 1_000_000

    init(keys: ImageKeys) { self.keys = keys }

    /// - Returns: Whether the tree is within the size limit.
    mutating func visit(_ root: Node) -> Bool {
        var stack: [(node: Node, path: [String])] = [(root, [])]
        while let (node, path) = stack.popLast() {
            steps += 1
            guard steps < Self.mostSteps else { return false }
            switch node {
            case .scalar(let scalar):
                visit(scalar, path)
            case .sequence(let sequence):
                combine(1, count: sequence.count)
                for element in sequence.reversed() { stack.append((element, path)) }
            case .mapping(let mapping):
                combine(2, count: mapping.count)
                for (key, value) in mapping.reversed() {
                    let name = key.scalar?.string ?? ""
                    stack.append((value, name == "<<" ? path : path + [name]))
                    stack.append((key, []))
                }
            case .alias:
                combine(3, count: 0)
            }
        }
        return true
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
