internal import Synchronization

/// A pattern for paths, compiled to a nondeterministic automaton (Thompson, 1968).
///
/// The cost of a match is at most the length of the pattern times that of the path. `*` matches any
/// characters except `/`, `**` any characters, `**/` any number of folders, `?` one character
/// except `/`, `[a-z]` one of these characters, `[!a-z]` one other character, `{a,b}` either
/// alternative; `\` removes the special meaning of the next character. A pattern without a `/`
/// matches at any depth. A pattern that matches a folder matches everything in it.
package struct Glob: Hashable, Sendable {
    /// The text of the pattern.
    package let pattern: String
    private let machine: Machine
    private let use = Use()

    /// Compiles a pattern for paths; nil if a `[` or `{` is not closed, or the pattern is empty.
    package init?(_ pattern: String) {
        let anchored = pattern.dropFirst(
            pattern.hasPrefix("./") ? 2 : pattern.hasPrefix("/") ? 1 : 0)
        let name = anchored.hasSuffix("/") ? anchored.dropLast() : anchored
        guard !name.isEmpty else { return nil }
        var compiler = GlobCompiler(name)
        let isName = !pattern.dropLast().unicodeScalars.contains("/")
        guard let machine = compiler.compile(atAnyDepth: isName) else { return nil }
        self.pattern = pattern
        self.machine = machine
    }

    /// Compiles a pattern for URLs; nil if it is empty.
    ///
    /// Only `*` is special in it, and matches any characters.
    package init?(url pattern: String) {
        guard !pattern.isEmpty else { return nil }
        self.pattern = pattern
        machine = GlobCompiler.anyCharacters(pattern)
    }

    /// Whether the pattern matches the whole of `text`.
    package func matches(_ text: String) -> Bool {
        let isMatch = machine.matches(text.unicodeScalars)
        if isMatch { use.isKnown.store(true, ordering: .relaxed) }
        return isMatch
    }

    /// Whether this pattern, or a copy of it, has matched anything.
    package var isUsed: Bool { use.isKnown.load(ordering: .relaxed) }

    /// Whether a pattern has matched anything, which is no part of its value.
    private final class Use: Hashable, Sendable {
        let isKnown = Atomic(false)

        static func == (_: Use, _: Use) -> Bool { true }

        func hash(into _: inout Hasher) {}
    }
}

extension Glob: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(pattern)
    }
}

extension Glob {
    /// One step of the automaton.
    enum Step: Hashable, Sendable {
        case scalar(Unicode.Scalar)
        case any
        case anyButSlash
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)
        /// Continues at both steps, relative to this one, without consuming a character.
        case fork(Int, Int)

        func takes(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .scalar(let own): own == scalar
            case .any: true
            case .anyButSlash: scalar != "/"
            case .oneOf(let ranges, let isNegated):
                scalar != "/" && ranges.contains { $0.contains(scalar) } != isNegated
            case .fork: false
            }
        }
    }

    /// The steps of the automaton; the end is after the last one.
    struct Machine: Hashable, Sendable {
        var steps: [Step]

        package func matches(_ text: some Sequence<Unicode.Scalar>) -> Bool {
            var current = States(count: steps.count + 1)
            var next = current
            add(0, to: &current)
            for scalar in text {
                next.removeAll()
                for state in current.list where state < steps.count && steps[state].takes(scalar) {
                    add(state + 1, to: &next)
                }
                if next.list.isEmpty { return false }
                swap(&current, &next)
            }
            return current.has(steps.count)
        }

        private func add(_ state: Int, to states: inout States) {
            var open = [state]
            while let state = open.popLast() {
                guard states.insert(state) else { continue }
                if state < steps.count, case .fork(let first, let second) = steps[state] {
                    open += [state + first, state + second]
                }
            }
        }
    }

    /// The current states of the automaton.
    private struct States {
        private(set) var list: [Int] = []
        private var isIn: [Bool]

        init(count: Int) { isIn = Array(repeating: false, count: count) }

        func has(_ state: Int) -> Bool { isIn[state] }

        mutating func insert(_ state: Int) -> Bool {
            if isIn[state] { return false }
            isIn[state] = true
            list.append(state)
            return true
        }

        mutating func removeAll() {
            for state in list { isIn[state] = false }
            list.removeAll(keepingCapacity: true)
        }
    }
}

extension Glob {
    /// Whether a pattern for URLs matches a URL, with its scheme or without.
    package func matches(url: String) -> Bool {
        matches(url)
            || url.utf8.firstRange(of: "://".utf8).map { matches(String(url[$0.upperBound...])) }
                == true
    }
}

/// Selects the documents of a site that are read, by their paths relative to it.
package struct DocumentFilter: Encodable, Hashable, Sendable {
    /// Documents that are not read; empty by default.
    package var ignored: [Glob] = []
    /// If this is not empty, only these documents are read.
    package var included: [Glob] = []
    /// The path of the only document that is read; nil, the default, for all.
    package var only: String?

    package init() {}

    func takes(_ path: String) -> Bool {
        if let only { return path == only }
        // Each pattern learns whether it is used.
        if !ignored.filter({ $0.matches(path) }).isEmpty { return false }
        return included.isEmpty || !included.filter { $0.matches(path) }.isEmpty
    }
}

/// Selects the images of other hosts that are made local, by their normalised URLs, with or without
/// the scheme.
package struct URLFilter: Encodable, Hashable, Sendable {
    /// URLs that are left as they are; empty by default.
    package var ignored: [Glob] = []
    /// If this is not empty, all other URLs are left as they are.
    package var included: [Glob] = []

    package init() {}

    package func takes(_ url: String) -> Bool {
        if ignored.isEmpty && included.isEmpty { return true }
        if !ignored.filter({ $0.matches(url: url) }).isEmpty { return false }
        return included.isEmpty || !included.filter { $0.matches(url: url) }.isEmpty
    }
}
