internal import Yams

/// The plain values of a configuration file, each with the keys that lead to it.
///
/// Nothing is executed or constructed: a value with a tag of another program, such as
/// `!!python/name:x.y`, counts as the text behind the tag.
package struct KeyedValues: Sendable {
    /// The language of a configuration file; JSON is read as YAML, of which it is a part.
    package enum Language: Sendable { case yaml, toml }

    private var values: [(path: [String], text: String)] = []

    private static let mostSteps = 200_000

    /// Of an empty file.
    package init() {}

    /// Reads a file.
    ///
    /// - Returns: nil if it is not in that language, or too deep or large for its parser.
    package init?(_ bytes: [UInt8], language: Language) {
        var found: [(path: [String], text: String)] = []
        let isRead = bytes.withUnsafeBufferPointer { bytes in
            let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
            switch language {
            case .toml:
                return TOMLScanner.read(
                    bytes, start..<bytes.count,
                    visit: { found.append(($0, String(decoding: $1.value, as: UTF8.self))) },
                    visitBare: { found.append(($0, String(decoding: bytes[$1], as: UTF8.self))) })
            case .yaml:
                let text = Bytes(rebasing: bytes[start...])
                guard YAMLGuard.excess(in: text) == nil, let yaml = text.string(0..<text.count)
                else { return false }
                do {
                    guard let root = try Yams.compose(yaml: yaml, .basic) else { return true }
                    return Self.collect(root, &found)
                } catch {
                    return false
                }
            }
        }
        guard isRead else { return nil }
        values = found
    }

    private static func collect(_ root: Node, _ found: inout [(path: [String], text: String)])
        -> Bool
    {
        var stack: [(node: Node, path: [String])] = [(root, [])]
        var steps = 0
        while let (node, path) = stack.popLast() {
            steps += 1
            guard steps < mostSteps else { return false }
            switch node {
            case .scalar(let scalar):
                let isNull = scalar.style == .plain && ["", "~", "null"].contains(scalar.string)
                if !isNull { found.append((path, scalar.string)) }
            case .sequence(let sequence):
                for element in sequence.reversed() { stack.append((element, path)) }
            case .mapping(let mapping):
                for (key, value) in mapping.reversed() {
                    stack.append((value, path + [key.scalar?.string ?? ""]))
                }
            case .alias: break
            }
        }
        return true
    }

    /// All values to which these keys lead, in the order of the file; lists on the way count as
    /// nothing, and letter case does not count.
    package func texts(_ path: String...) -> [String] { texts(path) }

    /// The first value to which these keys lead.
    package func text(_ path: String...) -> String? { texts(path).first }

    /// Whether anything stands below this key of the root.
    package func has(_ key: String) -> Bool {
        values.contains { $0.path.first?.lowercased() == key.lowercased() }
    }

    /// Whether the value to which these keys lead is true.
    package func isTrue(_ path: String...) -> Bool { texts(path).first?.lowercased() == "true" }

    /// The keys directly below those of `path`, each once.
    package func keys(below path: String...) -> [String] {
        var seen: Set<String> = []
        return values.compactMap { value in
            guard value.path.count > path.count, Self.isSame(value.path.prefix(path.count), path)
            else { return nil }
            let key = value.path[path.count]
            return seen.insert(key).inserted ? key : nil
        }
    }

    private func texts(_ path: [String]) -> [String] {
        values.filter { Self.isSame($0.path[...], path) }.map(\.text)
    }

    private static func isSame(_ keys: ArraySlice<String>, _ path: [String]) -> Bool {
        keys.count == path.count
            && zip(keys, path).allSatisfy { $0.lowercased() == $1.lowercased() }
    }
}
