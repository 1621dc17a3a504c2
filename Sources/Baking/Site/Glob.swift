/// A pattern for paths, compiled to a machine that is in all its states at once (Thompson, 1968), so
/// that matching costs at most the length of the pattern times that of the path.
///
/// `*` stands for any characters but `/`, `**` for any at all, `**/` for any folders or none, `?` for
/// one character but `/`, `[a-z]` for one of these, `[!a-z]` for none of these, `{a,b}` for either;
/// `\` takes the meaning from what follows. A pattern without a `/` matches at any depth, and one that
/// matches a folder matches all that is in it.
package struct Glob: Hashable, Sendable {
    /// As it was written.
    package let pattern: String
    private let machine: Machine

    /// Compiles a pattern for paths; nil if a `[` or `{` is not closed, or nothing is there.
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

    /// Compiles a pattern for URLs, in which `*` alone has a meaning: any characters; nil if nothing is
    /// there.
    package init?(url pattern: String) {
        guard !pattern.isEmpty else { return nil }
        self.pattern = pattern
        machine = GlobCompiler.anyCharacters(pattern)
    }

    /// Whether the whole of `text` is what the pattern stands for.
    package func matches(_ text: String) -> Bool { machine.matches(text.unicodeScalars) }
}

extension Glob: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(pattern)
    }
}

extension Glob {
    /// One step of the machine.
    enum Step: Hashable, Sendable {
        case scalar(Unicode.Scalar)
        case any
        case anyButSlash
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)
        /// Goes on at both places, relative to this one, without taking anything.
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

    /// Steps, the end behind the last of them.
    struct Machine: Hashable, Sendable {
        var steps: [Step]

        func matches(_ text: some Sequence<Unicode.Scalar>) -> Bool {
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

    /// States that the machine is in.
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
