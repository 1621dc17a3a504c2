import CSSSyntax

/// A selector of CSS, as far as an element can be tested without its siblings and its state.
///
/// Whatever is not known, such as `:hover`, `:nth-child()` or the element before, may match.
struct SizingSelector: Hashable, Sendable {
    /// The conditions on one element.
    struct Compound: Hashable, Sendable {
        /// The name of the element; nil for any.
        var type: String?
        /// Its id and classes, all of which it must have.
        var ids: [String] = []
        var classes: [String] = []
        /// Whether an attribute is asked for that a bake may add.
        var isWatching = false
        /// Whether it holds the selector of the rule around it: `&`.
        var isNested = false
    }

    /// The conditions on the element, then on ancestors from the inside to the outside.
    var compounds: [Compound] = []

    private static let watched: Set<String> = ["width", "srcset", "sizes", "loading", "decoding"]
    private static let pseudoElements: Set<String> = [
        "before", "after", "first-line", "first-letter",
    ]

    /// Reads a selector without commas; nil if it selects no element of the page.
    init?(_ tokens: ArraySlice<SizingToken>) {
        var parts: [(compound: Compound, combinator: UInt8)] = []
        var current = Compound()
        var hasCurrent = false
        var index = tokens.startIndex
        while index < tokens.endIndex {
            let token = tokens[index]
            index += 1
            switch token.kind {
            case .space: if hasCurrent { end(with: UInt8(ascii: " ")) }
            case .delimiter(let byte) where "> +~|".utf8.contains(byte):
                if byte == UInt8(ascii: "|") {
                    (current.type, hasCurrent) = (nil, true)
                } else if hasCurrent {
                    end(with: byte)
                } else if !parts.isEmpty {
                    parts[parts.count - 1].combinator = byte
                }
            case .identifier: (current.type, hasCurrent) = (token.text, true)
            case .hash:
                current.ids.append(token.text)
                hasCurrent = true
            case .delimiter(UInt8(ascii: "&")): (current.isNested, hasCurrent) = (true, true)
            case .delimiter(UInt8(ascii: ".")):
                guard index < tokens.endIndex, tokens[index].kind == .identifier else { continue }
                current.classes.append(tokens[index].text)
                hasCurrent = true
                index += 1
            case .delimiter(UInt8(ascii: "[")):
                hasCurrent = true
                index = Self.end(of: tokens, from: index, &current)
            case .delimiter(UInt8(ascii: ":")):
                hasCurrent = true
                guard index < tokens.endIndex else { continue }
                if tokens[index].isDelimiter(UInt8(ascii: ":")) { return nil }
                if Self.pseudoElements.contains(tokens[index].text) { return nil }
                let isFunction = tokens[index].kind == .function
                index += 1
                if isFunction { index = Self.end(of: tokens, from: index, &current) }
            default: hasCurrent = true
            }
        }
        func end(with combinator: UInt8) {
            parts.append((current, combinator))
            (current, hasCurrent) = (Compound(), false)
        }
        if hasCurrent { end(with: UInt8(ascii: " ")) }
        guard let subject = parts.popLast() else { return nil }
        compounds = [subject.compound]
        for part in parts.reversed() {
            let isSibling =
                part.combinator == UInt8(ascii: "+") || part.combinator == UInt8(ascii: "~")
            if part.compound.isWatching { compounds[0].isWatching = true }
            if !isSibling || part.compound.isNested { compounds.append(part.compound) }
        }
    }

    /// The index after the bracket or parenthesis that was opened before `start`.
    private static func end(
        of tokens: ArraySlice<SizingToken>, from start: Int, _ compound: inout Compound
    ) -> Int {
        var depth = 1
        var index = start
        while index < tokens.endIndex, depth > 0 {
            let token = tokens[index]
            switch token.kind {
            case .function, .delimiter(UInt8(ascii: "(")), .delimiter(UInt8(ascii: "[")):
                depth += 1
            case .delimiter(UInt8(ascii: ")")), .delimiter(UInt8(ascii: "]")): depth -= 1
            case .identifier where watched.contains(token.text): compound.isWatching = true
            default: break
            }
            index += 1
        }
        return index
    }

    /// Whether an attribute is asked for that a bake may add.
    var isWatching: Bool { compounds.contains(where: \.isWatching) }

    /// The selector within the rule of `outer`.
    func nested(in outer: SizingSelector) -> SizingSelector {
        var result = self
        guard let place = compounds.firstIndex(where: \.isNested), let own = outer.compounds.first
        else {
            result.compounds += outer.compounds
            return result
        }
        result.compounds[place].type = own.type ?? compounds[place].type
        result.compounds[place].ids += own.ids
        result.compounds[place].classes += own.classes
        result.compounds[place].isNested = false
        if own.isWatching { result.compounds[place].isWatching = true }
        result.compounds.insert(contentsOf: outer.compounds.dropFirst(), at: place + 1)
        return result
    }

    /// Whether the selector may match an element.
    func mayMatch(_ element: StyledElement) -> Bool {
        guard let subject = compounds.first, subject.mayMatch(element) else { return false }
        var outer = element.parent
        for compound in compounds.dropFirst() {
            while let one = outer, !compound.mayMatch(one) { outer = one.parent }
            guard let found = outer else { return false }
            outer = found.parent
        }
        return true
    }
}

extension SizingSelector.Compound {
    /// Classes that scripts give to the page.
    private static let rootClasses: Set<String> = ["js", "no-js", "dark", "light"]

    func mayMatch(_ element: StyledElement) -> Bool {
        if let type, type != element.name { return false }
        let isRoot = element.name == "html" || element.name == "body"
        return ids.allSatisfy { $0 == element.id }
            && classes.allSatisfy {
                element.classes.contains($0)
                    || isRoot && (type != nil || Self.rootClasses.contains($0))
            }
    }
}
