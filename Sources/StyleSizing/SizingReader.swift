import CSSSyntax
import DocumentSyntax

/// Reads rules, nested ones too, in one pass.
struct SizingReader {
    private static let mostRules = 50_000
    /// The most conditions in all selectors; a nested rule multiplies them.
    private static let mostCompounds = 300_000

    /// The selectors of a rule, with facts that each of its declarations needs.
    private struct Selectors {
        var list: [SizingSelector]
        /// Whether the rule counts whatever its declarations are.
        let isNeeded: Bool
        let mayBePicture: Bool
        /// Whether they certainly select what ``SizingSelector/mayMatch(_:)`` says.
        let isCertain: Bool

        init(_ list: [SizingSelector] = [], isCertain: Bool = false) {
            self.list = list
            self.isCertain = isCertain
            isNeeded = list.contains { $0.asksForAny || $0.mayNoticePicture }
            mayBePicture = list.contains {
                $0.pseudoElement == nil && $0.compounds.first?.mayBePicture == true
            }
        }
    }

    /// A block that is open.
    private enum Block {
        /// Rules: the sheet, or `@media`. Those of the sheet and of `@layer` have no condition.
        case rules(hasCondition: Bool)
        /// Declarations and nested rules.
        case style(Selectors)
        /// Nothing that matters, such as `@font-face`.
        case ignored
    }

    private(set) var rules: [SizingRule] = []
    private(set) var imports: [String] = []
    private(set) var isTooComplex = false
    /// See ``SizingRules/mayNoticeClasses``.
    private(set) var mayNoticeClasses = false
    private var tokenizer: CSSTokenizer
    private var blocks: [Block]
    private var pending: [SizingToken] = []
    private var parentheses = 0
    private var compoundCount = 0

    init(_ text: [UInt8], isAttribute: Bool = false) {
        // A mark would become a part of the first selector.
        let hasMark = text.starts(with: utf8Mark)
        tokenizer = CSSTokenizer(hasMark ? Array(text.dropFirst(utf8Mark.count)) : text)
        blocks = [isAttribute ? .style(Selectors()) : .rules(hasCondition: false)]
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
            // Its root may be any element.
            if first.text == "scope" { isTooComplex = true }
            blocks.append(Self.groups.contains(first.text) ? group(first.text) : .ignored)
        } else if first.kind == .identifier, first.text.hasPrefix("--") {
            blocks.append(.ignored)
        } else {
            let list = selectors(tokens)
            mayNoticeClasses = mayNoticeClasses || list.contains(where: \.mayNoticeClasses)
            var isCertain = false
            if case .rules(hasCondition: false) = blocks[blocks.count - 1] {
                isCertain = SizingSelector.areNames(tokens)
            }
            blocks.append(.style(Selectors(list, isCertain: isCertain)))
        }
    }

    /// The block of a rule such as `@media`.
    private func group(_ name: String) -> Block {
        let outer = blocks[blocks.count - 1]
        if case .rules = outer, name != "layer" { return .rules(hasCondition: true) }
        return outer
    }

    private static let groups: Set<String> = [
        "media", "supports", "layer", "container", "starting-style", "document", "-moz-document",
    ]

    private mutating func selectors(_ tokens: ArraySlice<SizingToken>) -> [SizingSelector] {
        // The elements that it selects are in another tree than the selector.
        if tokens.contains(where: { $0.kind == .function && $0.text == "slotted" }) {
            isTooComplex = true
        }
        let result = SizingSelector.list(tokens)
        compoundCount += result.reduce(0) { $0 + $1.weight }
        if case .style(let style) = blocks[blocks.count - 1], !style.list.isEmpty {
            let outer = style.list
            let own = result.count + outer.reduce(0) { $0 + $1.weight }
            compoundCount += own * max(result.count, outer.count)
            if compoundCount > Self.mostCompounds {
                isTooComplex = true
                return []
            }
            return outer.flatMap { outer in result.map { $0.nested(in: outer) } }
        }
        if compoundCount > Self.mostCompounds { isTooComplex = true }
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
        case .rules where first.kind == .atKeyword && first.text == "namespace":
            // A name may then be that of an element of SVG.
            blocks[0] = .rules(hasCondition: true)
        case .rules where first.kind == .atKeyword && first.text == "import":
            let url = tokens.first { $0.kind == .url || $0.kind == .string }
            if let url { imports.append(url.text) } else { isTooComplex = true }
        case .style(let selectors):
            guard first.kind == .identifier || first.isDelimiter(UInt8(ascii: "*")) else { return }
            let start = first.kind == .identifier ? 0 : 1
            guard tokens.count > start + 2, tokens[start + 1].isDelimiter(UInt8(ascii: ":"))
            else { return }
            add(tokens[start].text, Array(tokens[(start + 2)...]), selectors)
        default: break
        }
    }

    private mutating func add(
        _ property: String, _ value: [SizingToken], _ selectors: Selectors
    ) {
        var effects = SizingEffects(of: property, value)
        if !selectors.mayBePicture { effects.remove(.reachingChildren) }
        if !selectors.isCertain { effects.remove(.freeHeight) }
        guard !effects.isDisjoint(with: .counting) || selectors.isNeeded else { return }
        if let last = rules.last, last.selectors == selectors.list {
            rules[rules.count - 1].effects.formUnion(effects)
        } else {
            rules.append(SizingRule(selectors: selectors.list, effects: effects))
        }
        if rules.count > Self.mostRules { isTooComplex = true }
    }
}
