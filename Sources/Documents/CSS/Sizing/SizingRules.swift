import CSSSyntax

/// The rules of a style sheet that may decide the size of an image.
///
/// Conditions such as `@media` count as met, and a rule as one that wins. So the rules tell what a
/// style sheet may do, and never that it does it.
package struct SizingRules: Sendable, Hashable {
    struct Rule: Sendable, Hashable {
        var selectors: [SizingSelector]
        var effects: SizingEffects
    }

    private(set) var rules: [Rule] = []
    /// The URLs of the style sheets that this one imports.
    package private(set) var imports: [String] = []
    /// Whether there are too many rules to read.
    package private(set) var isTooComplex = false

    private static let mostRules = 50_000
    /// The most conditions in all selectors; a nested rule multiplies them.
    private static let mostCompounds = 300_000

    package init() {}

    /// Reads a style sheet.
    package init(_ text: [UInt8]) {
        var reader = SizingReader(text)
        reader.read()
        (rules, imports, isTooComplex) = (reader.rules, reader.imports, reader.isTooComplex)
    }

    /// The effects of the declarations in a `style` attribute.
    static func effects(ofAttribute text: [UInt8]) -> SizingEffects {
        var reader = SizingReader(text, isAttribute: true)
        reader.read()
        return reader.rules.reduce(into: []) { $0.formUnion($1.effects) }
    }

    /// The rules that may concern an `<img>`.
    package var ofImages: SizingRules {
        filtered { rule in
            rule.selectors.contains { selector in
                selector.compounds.first.map { $0.type == nil || $0.type == "img" } ?? false
            }
        }
    }

    /// The rules that make a container of an element.
    package var ofContainers: SizingRules { filtered { $0.effects.contains(.container) } }

    /// The number of rules.
    package var count: Int { rules.count }

    private func filtered(_ isWanted: (Rule) -> Bool) -> SizingRules {
        var result = self
        result.rules = rules.filter(isWanted)
        return result
    }

    /// What the rules may do to an element.
    package func effects(on element: StyledElement) -> SizingEffects {
        var effects: SizingEffects = []
        for rule in rules where !effects.isSuperset(of: rule.effects) || rule.isWatching {
            for selector in rule.selectors where selector.mayMatch(element) {
                effects.formUnion(rule.effects)
                if selector.isWatching { effects.formUnion(.watched) }
            }
        }
        return effects
    }

    /// Reads rules, nested ones too, in one pass.
    private struct SizingReader {
        /// A block that is open.
        private enum Block {
            /// Rules: the sheet, or `@media`.
            case rules
            /// Declarations and nested rules.
            case style([SizingSelector])
            /// Nothing that matters, such as `@font-face`.
            case ignored
        }

        var rules: [Rule] = []
        var imports: [String] = []
        var isTooComplex = false
        private var tokenizer: CSSTokenizer
        private var blocks: [Block]
        private var pending: [SizingToken] = []
        private var parentheses = 0
        private var compoundCount = 0

        init(_ text: [UInt8], isAttribute: Bool = false) {
            tokenizer = CSSTokenizer(text)
            blocks = isAttribute ? [.style([])] : [.rules]
        }

        mutating func read() {
            while !isTooComplex, let token = tokenizer.next() { read(token) }
            endDeclaration()
        }

        private mutating func read(_ token: CSSToken) {
            switch token.kind {
            case .comment, .commentMark: return
            case .delimiter(UInt8(ascii: "{")):
                parentheses = 0
                return open()
            case .delimiter(UInt8(ascii: "}")):
                endDeclaration()
                if blocks.count > 1 { blocks.removeLast() }
                return
            case .delimiter(UInt8(ascii: ";")) where parentheses == 0: return endDeclaration()
            case .function, .delimiter(UInt8(ascii: "(")): parentheses += 1
            case .delimiter(UInt8(ascii: ")")): parentheses = max(0, parentheses - 1)
            default: break
            }
            let isURL = token.kind == .url || token.kind == .string
            let text =
                isURL
                ? String(decoding: tokenizer.content(of: token), as: UTF8.self)
                : tokenizer.name(of: token)
            pending.append(SizingToken(kind: token.kind, text: text))
            if pending.count > 100_000 { isTooComplex = true }
        }

        private mutating func open() {
            let tokens = pending.drop { $0.kind == .space }
            pending = []
            guard blocks.count < 100, let first = tokens.first else {
                blocks.append(.ignored)
                return
            }
            if case .ignored = blocks[blocks.count - 1] { return blocks.append(.ignored) }
            if first.kind == .atKeyword {
                blocks.append(
                    Self.groups.contains(first.text) ? blocks[blocks.count - 1] : .ignored)
            } else if first.kind == .identifier, first.text.hasPrefix("--") {
                blocks.append(.ignored)
            } else {
                blocks.append(.style(selectors(tokens)))
            }
        }

        private static let groups: Set<String> = [
            "media", "supports", "layer", "container", "scope", "starting-style", "document",
            "-moz-document",
        ]

        private mutating func selectors(_ tokens: ArraySlice<SizingToken>) -> [SizingSelector] {
            var result: [SizingSelector] = []
            var start = tokens.startIndex
            var depth = 0
            for index in tokens.indices {
                switch tokens[index].kind {
                case .function, .delimiter(UInt8(ascii: "(")): depth += 1
                case .delimiter(UInt8(ascii: ")")): depth -= 1
                case .delimiter(UInt8(ascii: ",")) where depth == 0:
                    result += [SizingSelector(tokens[start..<index])].compactMap(\.self)
                    start = index + 1
                default: break
                }
            }
            result += [SizingSelector(tokens[start...])].compactMap(\.self)
            compoundCount += result.reduce(0) { $0 + $1.compounds.count }
            if case .style(let outer) = blocks[blocks.count - 1], !outer.isEmpty {
                let own = result.count + outer.reduce(0) { $0 + $1.compounds.count }
                compoundCount += own * max(result.count, outer.count)
                if compoundCount > SizingRules.mostCompounds {
                    isTooComplex = true
                    return []
                }
                return outer.flatMap { outer in result.map { $0.nested(in: outer) } }
            }
            if compoundCount > SizingRules.mostCompounds { isTooComplex = true }
            return result
        }

        /// Reads the tokens since the last block or semicolon.
        private mutating func endDeclaration() {
            defer {
                pending = []
                parentheses = 0
            }
            let tokens = pending.filter { $0.kind != .space }
            guard let first = tokens.first else { return }
            switch blocks[blocks.count - 1] {
            case .rules where first.kind == .atKeyword && first.text == "import":
                let url = tokens.first { $0.kind == .url || $0.kind == .string }
                if let url { imports.append(url.text) } else { isTooComplex = true }
            case .style(let selectors)
            where first.kind == .identifier || first.isDelimiter(UInt8(ascii: "*")):
                let start = first.kind == .identifier ? 0 : 1
                guard tokens.count > start + 2, tokens[start + 1].isDelimiter(UInt8(ascii: ":"))
                else { return }
                add(
                    SizingEffects(of: tokens[start].text, Array(tokens[(start + 2)...])), selectors)
            default: break
            }
        }

        private mutating func add(_ effects: SizingEffects, _ selectors: [SizingSelector]) {
            let isWatching = selectors.contains(where: \.isWatching)
            guard !effects.isEmpty || isWatching else { return }
            if let last = rules.last, last.selectors == selectors {
                rules[rules.count - 1].effects.formUnion(effects)
            } else {
                rules.append(Rule(selectors: selectors, effects: effects))
            }
            if rules.count > SizingRules.mostRules { isTooComplex = true }
        }
    }
}

extension SizingRules.Rule {
    var isWatching: Bool { selectors.contains(where: \.isWatching) }
}
