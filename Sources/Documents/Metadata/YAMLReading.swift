internal import Yams

/// Reads a block of YAML and says where the scalars stand that name images.
///
/// - Parameters:
///   - bytes: The document.
///   - content: Where the block stands in it.
///   - keys: Which keys name images.
/// - Returns: What was read, or why nothing was.
func yamlReading(
    of bytes: Bytes, _ content: Range<Int>, keys: ImageKeys
) -> Result<FrontMatter.Reading, FrontMatter.Fault> {
    let text = Bytes(rebasing: bytes[content])
    if let excess = YAMLGuard.excess(in: text) { return .failure(.excess(excess)) }
    guard let yaml = bytes.string(content) else { return .failure(.syntax) }
    let root: Node?
    do {
        // The tags of scalars are of no interest, and to tell them takes most of the time.
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

/// A pass over the tree of a block, in which the scalars are collected that name images.
private struct YAMLWalk {
    let keys: ImageKeys

    /// A scalar that names an image, at least at one of the places where it is used.
    private struct Candidate {
        var path: [String]
        var scalar: Node.Scalar
    }

    private var candidates: [YAMLMark: Candidate] = [:]
    /// Where scalars stand that are something else than an image.
    private var others: Set<YAMLMark> = []
    private var hasher = Hasher()
    private var steps = 0

    private static let mostSteps = 1_000_000

    init(keys: ImageKeys) { self.keys = keys }

    /// - Returns: Whether the tree is of a size to be walked.
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
        guard let mark = scalar.mark.map(YAMLMark.init), keys.name(path) else {
            hasher.combine(scalar.string)
            if let mark = scalar.mark { others.insert(YAMLMark(mark)) }
            return
        }
        // Which of them are slots is for the caller to say; the bytes around those are hashed.
        combine(4, count: Int(scalar.style.rawValue))
        if candidates[mark] == nil { candidates[mark] = Candidate(path: path, scalar: scalar) }
    }

    /// What was collected, with its places in the document.
    ///
    /// - Parameters:
    ///   - text: The block.
    ///   - start: Where it stands in the document.
    /// - Returns: The strings in the order of the text.
    consuming func reading(of text: Bytes, at start: Int) -> FrontMatter.Reading {
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
    /// - Returns: nil for a block, whose text cannot be replaced by itself.
    fileprivate init?(_ style: Node.Scalar.Style) {
        switch style {
        case .any, .plain: self = .plain
        case .singleQuoted: self = .singleQuoted
        case .doubleQuoted: self = .doubleQuoted
        case .literal, .folded: return nil
        }
    }
}
