/// Compiles a pattern to the steps of an automaton.
struct GlobCompiler {
    private var rest: ArraySlice<Unicode.Scalar>
    /// Whether the next character begins a name.
    private var isAtName = true

    /// The end of every pattern: nothing, or a path below the matched folder.
    private static let below: [Glob.Step] = [.fork(1, 5), .scalar("/")] + star(.any)

    init(_ pattern: Substring) {
        rest = Array(pattern.unicodeScalars)[...]
    }

    /// The automaton for a path; nil if the pattern is invalid.
    mutating func compile(atAnyDepth: Bool) -> Glob.Machine? {
        guard let steps = sequence(depth: 0), rest.isEmpty else { return nil }
        return Glob.Machine(steps: (atAnyDepth ? Self.folders : []) + steps + Self.below)
    }

    /// The automaton for a pattern in which only `*` is special.
    static func anyCharacters(_ pattern: String) -> Glob.Machine {
        Glob.Machine(
            steps: pattern.unicodeScalars.flatMap { $0 == "*" ? star(.any) : [.scalar($0)] })
    }

    private static func star(_ step: Glob.Step) -> [Glob.Step] {
        [.fork(1, 3), step, .fork(-2, 1)]
    }

    /// Any number of folders.
    private static let folders: [Glob.Step] = [.fork(1, 5)] + star(.any) + [.scalar("/")]

    /// Compiles up to the end, or within braces to the end of the alternative.
    private mutating func sequence(depth: Int) -> [Glob.Step]? {
        var steps: [Glob.Step] = []
        // A deeper pattern could overflow the stack.
        guard depth < 64 else { return nil }
        while let scalar = rest.first {
            if depth > 0, scalar == "," || scalar == "}" { return steps }
            rest.removeFirst()
            let wasAtName = isAtName
            isAtName = scalar == "/"
            switch scalar {
            case "*": steps += stars(atName: wasAtName)
            case "?": steps.append(.anyButSlash)
            case "[":
                guard let step = oneOf() else { return nil }
                steps.append(step)
            case "{":
                isAtName = wasAtName
                guard let choice = alternatives(depth: depth + 1) else { return nil }
                steps += choice
                isAtName = false
            case "\\": steps.append(.scalar(rest.popFirst() ?? "\\"))
            default: steps.append(.scalar(scalar))
            }
        }
        return depth == 0 ? steps : nil
    }

    private mutating func stars(atName: Bool) -> [Glob.Step] {
        guard rest.first == "*" else { return Self.star(.anyButSlash) }
        while rest.first == "*" { rest.removeFirst() }
        guard atName, rest.first == "/" else { return Self.star(.any) }
        rest.removeFirst()
        isAtName = true
        return Self.folders
    }

    private mutating func alternatives(depth: Int) -> [Glob.Step]? {
        let atName = isAtName
        var choices: [[Glob.Step]] = []
        repeat {
            isAtName = atName
            guard let choice = sequence(depth: depth) else { return nil }
            choices.append(choice)
        } while rest.popFirst() == ","
        // Each alternative but the last gets a fork to it or past it, and a jump to the end after
        // it.
        var steps = choices.removeLast()
        for choice in choices.reversed() {
            let way = Glob.Step.fork(steps.count + 1, steps.count + 1)
            steps = [.fork(1, choice.count + 2)] + choice + [way] + steps
        }
        return steps
    }

    /// The characters between brackets; the first `]` may stand for itself.
    private mutating func oneOf() -> Glob.Step? {
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while let scalar = rest.popFirst() {
            if scalar == "]", !ranges.isEmpty { return .oneOf(ranges, isNegated: isNegated) }
            let low = scalar == "\\" ? rest.popFirst() ?? "\\" : scalar
            guard rest.first == "-", let high = rest.dropFirst().first, high != "]" else {
                ranges.append(low...low)
                continue
            }
            rest.removeFirst(2)
            guard low <= high else { return nil }
            ranges.append(low...high)
        }
        return nil
    }
}
