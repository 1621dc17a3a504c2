internal import Synchronization

/// A pattern for paths.
///
/// The cost of a match is at most the length of the pattern times that of the path. `*` matches any
/// characters except `/`, `**` any characters, `**/` any number of folders, `?` one character
/// except `/`, `[a-z]` one of these characters, `[!a-z]` one other character, `{a,b}` either
/// alternative; `\` removes the special meaning of the next character. A pattern without a `/`
/// matches at any depth. A pattern that matches a folder matches everything in it.
package struct Glob: Hashable, Sendable {
    /// The text of the pattern.
    package let pattern: String
    private let parts: [GlobPart]
    private let use = Use()

    /// Reads a pattern for paths; nil if a `[` or `{` is not closed, or the pattern is empty.
    package init?(_ pattern: String) {
        let anchored = pattern.dropFirst(
            pattern.hasPrefix("./") ? 2 : pattern.hasPrefix("/") ? 1 : 0)
        let name = anchored.hasSuffix("/") ? anchored.dropLast() : anchored
        guard !name.isEmpty else { return nil }
        var parser = GlobParser(name)
        guard let parts = parser.parts() else { return nil }
        let isName = !pattern.dropLast().unicodeScalars.contains("/")
        self.pattern = pattern
        self.parts = (isName ? [.folders] : []) + parts + [.choice([[], [.scalar("/"), .any]])]
    }

    /// Reads a pattern for URLs; nil if it is empty.
    ///
    /// Only `*` is special in it, and matches any characters.
    package init?(url pattern: String) {
        guard !pattern.isEmpty else { return nil }
        self.pattern = pattern
        parts = pattern.unicodeScalars.map { $0 == "*" ? .any : .scalar($0) }
    }

    /// Whether the pattern matches the whole of `text`.
    package func matches(_ text: String) -> Bool {
        let text = Array(text.unicodeScalars)
        let isMatch = GlobPart.ends(of: parts, from: [0], in: text).contains(text.count)
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

/// A part of a pattern.
private enum GlobPart: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// One character in one of the ranges, or in none of them, and never a slash.
    case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)
    /// Any number of characters.
    case any
    /// Any number of characters except slashes.
    case anyInFolder
    /// Any number of folders, each with the slash after it.
    case folders
    case choice([[GlobPart]])

    /// The places in a text where matches of some parts end that begin at one of some places.
    static func ends(
        of parts: [GlobPart], from places: Set<Int>, in text: [Unicode.Scalar]
    ) -> Set<Int> {
        parts.reduce(places) { places, part in
            places.min().map { part.ends(from: places, first: $0, in: text) } ?? []
        }
    }

    private func ends(
        from places: Set<Int>, first: Int, in text: [Unicode.Scalar]
    ) -> Set<Int> {
        switch self {
        case .scalar, .oneOf:
            return Set(places.lazy.filter { $0 < text.count && takes(text[$0]) }.map { $0 + 1 })
        case .any: return Set(first...text.count)
        case .anyInFolder:
            var ends = places
            for place in places {
                var end = place
                while end < text.count, text[end] != "/", ends.insert(end + 1).inserted { end += 1 }
            }
            return ends
        case .folders:
            return places.union(text.indices[first...].filter { text[$0] == "/" }.map { $0 + 1 })
        case .choice(let choices):
            return choices.reduce(into: []) {
                $0.formUnion(Self.ends(of: $1, from: places, in: text))
            }
        }
    }

    private func takes(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .scalar(let own): own == scalar
        case .oneOf(let ranges, let isNegated):
            scalar != "/" && ranges.contains { $0.contains(scalar) } != isNegated
        case .any, .anyInFolder, .folders, .choice: false
        }
    }
}

/// Reads the parts of a pattern.
private struct GlobParser {
    private var rest: ArraySlice<Unicode.Scalar>
    /// Whether the next character begins a name.
    private var isAtName = true

    init(_ pattern: Substring) {
        rest = Array(pattern.unicodeScalars)[...]
    }

    /// All parts; nil if the pattern is invalid.
    mutating func parts() -> [GlobPart]? {
        let parts = sequence(depth: 0)
        return rest.isEmpty ? parts : nil
    }

    /// Reads up to the end, or within braces to the end of the alternative.
    private mutating func sequence(depth: Int) -> [GlobPart]? {
        var parts: [GlobPart] = []
        // A deeper pattern could overflow the stack.
        guard depth < 64 else { return nil }
        while let scalar = rest.first {
            if depth > 0, scalar == "," || scalar == "}" { return parts }
            rest.removeFirst()
            let wasAtName = isAtName
            isAtName = scalar == "/"
            switch scalar {
            case "*": parts.append(stars(atName: wasAtName))
            case "?": parts.append(.oneOf([], isNegated: true))
            case "[":
                guard let part = oneOf() else { return nil }
                parts.append(part)
            case "{":
                guard let choice = alternatives(atName: wasAtName, depth: depth + 1) else {
                    return nil
                }
                parts.append(choice)
            case "\\": parts.append(.scalar(rest.popFirst() ?? "\\"))
            default: parts.append(.scalar(scalar))
            }
        }
        return depth == 0 ? parts : nil
    }

    private mutating func stars(atName: Bool) -> GlobPart {
        guard rest.first == "*" else { return .anyInFolder }
        while rest.first == "*" { rest.removeFirst() }
        guard atName, rest.first == "/" else { return .any }
        rest.removeFirst()
        isAtName = true
        return .folders
    }

    private mutating func alternatives(atName: Bool, depth: Int) -> GlobPart? {
        var choices: [[GlobPart]] = []
        repeat {
            isAtName = atName
            guard let choice = sequence(depth: depth) else { return nil }
            choices.append(choice)
        } while rest.popFirst() == ","
        isAtName = false
        return .choice(choices)
    }

    /// The characters between brackets; the first `]` may stand for itself.
    private mutating func oneOf() -> GlobPart? {
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
