import CSSSyntax
import DocumentSyntax

/// A selector of CSS, as far as an element can be tested without its siblings and its state.
///
/// Whatever is not known, such as `:hover`, `:nth-child()` or the element before, may match.
struct SizingSelector: Hashable, Sendable {
    /// How a compound stands to the one on its right.
    enum Link: Sendable {
        case ancestor, parent
        /// An element before it, of the same parent.
        case sibling
    }

    /// The conditions on one element.
    struct Compound: Hashable, Sendable {
        var link = Link.ancestor
        /// The name of the element; nil for any.
        var type: String?
        /// Its id and classes, all of which it must have.
        var ids: [String] = []
        var classes: [String] = []
        /// The names of attributes that it must have.
        var attributes: [String] = []
        /// The lists of `:is()` and `:where()`; of each, one selector must match.
        var lists: [[SizingSelector]] = []
        /// The selectors of `:not()`.
        var excluded: [SizingSelector] = []
        /// The selectors that other elements may have to match, such as those of `:has()`, and of
        /// `:nth-child(1 of p)`, which counts siblings.
        var others: [SizingSelector] = []
        /// Whether the place among the siblings counts, as in `:first-child`.
        var isPlaced = false
        /// Whether there is another condition, such as `:hover`.
        var hasState = false
        /// Whether the element is asked for an attribute that a bake may add or change.
        var isWatching = false
        /// Whether it is asked for its attribute `style`.
        var asksForStyle = false
        /// Whether it may be asked for a class that a bake adds, or for having one at all.
        var asksForClass = false
        /// Whether it holds the selector of the rule around it: `&`.
        var isNested = false
    }

    /// The conditions on the element, then on those to the left of it.
    var compounds: [Compound] = []
    /// How the element stands to that of the rule around it.
    private(set) var outerLink = Link.ancestor
    /// The name of the pseudo-element that is selected, such as `before`; nil if it is the element.
    private(set) var pseudoElement: String?

    init(_ compounds: ArraySlice<Compound>) { self.compounds = Array(compounds) }

    /// Reads a selector without commas; nil if it selects no element of the page.
    init?(_ tokens: ArraySlice<SizingToken>, depth: Int = 0) {
        var reader = SelectorReader(tokens: tokens, depth: depth)
        guard reader.read(), !reader.compounds.isEmpty else { return nil }
        compounds = reader.compounds.reversed()
        (outerLink, pseudoElement) = (reader.outerLink, reader.pseudoElement)
    }

    /// Reads a list of selectors.
    static func list(_ tokens: ArraySlice<SizingToken>, depth: Int = 0) -> [SizingSelector] {
        var result: [SizingSelector] = []
        var start = tokens.startIndex
        var level = 0
        for index in tokens.indices {
            switch tokens[index].kind {
            case .function, .delimiter(UInt8(ascii: "(")): level += 1
            case .delimiter(UInt8(ascii: ")")): level -= 1
            case .delimiter(UInt8(ascii: ",")) where level == 0:
                result += [SizingSelector(tokens[start..<index], depth: depth)].compactMap(\.self)
                start = index + 1
            default: break
            }
        }
        return result + [SizingSelector(tokens[start...], depth: depth)].compactMap(\.self)
    }

    /// Whether a list of selectors has nothing but names of elements.
    ///
    /// ``mayMatch(_:)`` is then true only of elements that the list selects. Browsers ignore the whole
    /// list if they do not know one of its selectors, and names they all know.
    static func areNames(_ tokens: ArraySlice<SizingToken>) -> Bool {
        tokens.split(omittingEmptySubsequences: false) { $0.isDelimiter(UInt8(ascii: ",")) }
            .allSatisfy { selector in
                let words = selector.filter { $0.kind != .space }
                let isUniversal = words.count == 1 && words[0].isDelimiter(UInt8(ascii: "*"))
                return isUniversal
                    || !words.isEmpty && words.allSatisfy { $0.kind == .identifier }
            }
    }

    /// Whether an image may be selected.
    var mayBeImage: Bool { pseudoElement == nil && compounds.first?.mayBe("img") == true }

    /// The number of its compounds, with those in parentheses.
    var weight: Int { compounds.reduce(0) { $0 + $1.weight } }

    /// The selector within the rule of `outer`.
    func nested(in outer: SizingSelector) -> SizingSelector {
        var result = self
        result.pseudoElement = pseudoElement ?? outer.pseudoElement
        guard let place = compounds.firstIndex(where: \.isNested), let own = outer.compounds.first
        else {
            var chain = outer.compounds
            if !chain.isEmpty { chain[0].link = outerLink }
            result.compounds += chain
            return result
        }
        result.compounds[place].add(own)
        result.compounds.insert(contentsOf: outer.compounds.dropFirst(), at: place + 1)
        return result
    }
}

extension SizingSelector.Compound {
    var weight: Int { 1 + (alternatives + others).reduce(0) { $0 + $1.weight } }

    /// The selectors in parentheses that select the element itself, or must not.
    var alternatives: [SizingSelector] { lists.joined() + excluded }

    /// Whether it matches every element.
    var isUniversal: Bool {
        type == nil && ids.isEmpty && classes.isEmpty && attributes.isEmpty && lists.isEmpty
            && excluded.isEmpty && others.isEmpty && !isPlaced && !hasState
    }

    /// Adds the conditions of the rule around it.
    fileprivate mutating func add(_ own: Self) {
        type = own.type ?? type
        ids += own.ids
        classes += own.classes
        attributes += own.attributes
        lists += own.lists
        excluded += own.excluded
        others += own.others
        isPlaced = isPlaced || own.isPlaced
        hasState = hasState || own.hasState
        isWatching = isWatching || own.isWatching
        asksForStyle = asksForStyle || own.asksForStyle
        asksForClass = asksForClass || own.asksForClass
        isNested = false
    }
}

/// Reads the compounds of a selector from left to right.
private struct SelectorReader {
    let tokens: ArraySlice<SizingToken>
    /// The number of parentheses around it.
    let depth: Int
    var compounds: [SizingSelector.Compound] = []
    var outerLink = SizingSelector.Link.ancestor
    private(set) var pseudoElement: String?
    private var current = SizingSelector.Compound()
    private var hasCurrent = false
    private var index: Int

    private static let deepest = 6
    private static let watched: Set<String> = [
        "width", "height", "srcset", "sizes", "loading", "decoding",
    ]
    private static let pseudoElements: Set<String> = [
        "before", "after", "first-line", "first-letter",
    ]

    init(tokens: ArraySlice<SizingToken>, depth: Int) {
        (self.tokens, self.depth, index) = (tokens, depth, tokens.startIndex)
    }

    /// - Returns: false if the selector selects no element of the page.
    mutating func read() -> Bool {
        while index < tokens.endIndex {
            let token = tokens[index]
            index += 1
            switch token.kind {
            case .space: if hasCurrent { end() }
            case .delimiter(UInt8(ascii: "|")): (current.type, hasCurrent) = (nil, true)
            case .delimiter(UInt8(ascii: ">")): link(.parent)
            case .delimiter(UInt8(ascii: "+")), .delimiter(UInt8(ascii: "~")): link(.sibling)
            case .identifier: (current.type, hasCurrent) = (token.text, true)
            case .hash:
                current.ids.append(token.text)
                hasCurrent = true
            case .delimiter(UInt8(ascii: "&")): (current.isNested, hasCurrent) = (true, true)
            case .delimiter(UInt8(ascii: "*")): hasCurrent = true
            case .delimiter(UInt8(ascii: ".")):
                guard index < tokens.endIndex, tokens[index].kind == .identifier else { continue }
                current.classes.append(tokens[index].text)
                hasCurrent = true
                index += 1
            case .delimiter(UInt8(ascii: "[")):
                readAttribute()
                hasCurrent = true
            case .delimiter(UInt8(ascii: ":")):
                hasCurrent = true
                guard index < tokens.endIndex else { continue }
                if let name = nameOfPseudoElement {
                    pseudoElement = name
                    end()
                    // It is no element that `:has()`, `:not()` and the like could select.
                    return depth == 0
                }
                readPseudoClass()
            default: (current.hasState, hasCurrent) = (true, true)
            }
        }
        if hasCurrent { end() }
        return true
    }

    /// Ends a compound; the next one stands to it as a descendant, unless a combinator follows.
    private mutating func end() {
        compounds.append(current)
        (current, hasCurrent) = (SizingSelector.Compound(), false)
    }

    private mutating func link(_ link: SizingSelector.Link) {
        if hasCurrent { end() }
        if compounds.isEmpty {
            outerLink = link
        } else {
            compounds[compounds.count - 1].link = link
        }
    }

    private mutating func readPseudoClass() {
        let token = tokens[index]
        index += 1
        guard token.kind == .function else {
            let name = token.text
            if name == "root" {
                current.type = "html"
            } else if name.hasSuffix("-child") || name.hasSuffix("-of-type") {
                current.isPlaced = true
            } else {
                current.hasState = true
            }
            return
        }
        let content = inBrackets()
        guard depth < Self.deepest else {
            // They may be about any element.
            let unread = SizingSelector.Compound(
                isPlaced: true, isWatching: true, asksForStyle: true, asksForClass: true)
            current.others.append(SizingSelector([unread]))
            return current.isPlaced = true
        }
        lazy var list = SizingSelector.list(tokens[content], depth: depth + 1)
        switch token.text {
        case "is", "where", "matches", "any", "-webkit-any", "-moz-any": current.lists.append(list)
        case "not": current.excluded += list
        case _ where token.text.hasPrefix("nth-"):
            current.isPlaced = true
            let counted = tokens[content].drop { $0.kind != .identifier || $0.text != "of" }
            current.others += SizingSelector.list(counted.dropFirst(), depth: depth + 1)
        default:
            // Such as `:has()` and `:host()`; in others, such as `:lang(de)`, a word names no element.
            current.hasState = token.text != "has"
            current.others += list
        }
    }

    /// The name after a colon, if it is that of a pseudo-element.
    private var nameOfPseudoElement: String? {
        let token = tokens[index]
        if Self.pseudoElements.contains(token.text) { return token.text }
        guard token.isDelimiter(UInt8(ascii: ":")) else { return nil }
        return index + 1 < tokens.endIndex ? tokens[index + 1].text : ""
    }

    /// Reads a condition on an attribute, after its opening bracket.
    private mutating func readAttribute() {
        let condition = tokens[inBrackets()].filter { $0.kind != .space }
        guard let name = condition.first(where: { $0.kind == .identifier }) else {
            return current.hasState = true
        }
        current.attributes.append(name.text)
        if name.text == "class", Self.mayHoldForClass(condition) { current.asksForClass = true }
        // The first one may be a namespace.
        for token in condition where token.kind == .identifier {
            if token.text == "style" { current.asksForStyle = true }
            if Self.watched.contains(token.text)
                || token.text == "src" && Self.dependsOnURL(condition)
            {
                current.isWatching = true
            }
        }
    }

    /// Whether a condition on `class` may hold for a class that a bake adds.
    private static func mayHoldForClass(_ condition: [SizingToken]) -> Bool {
        let sign = condition.firstIndex { $0.isDelimiter(UInt8(ascii: "=")) }
        guard let sign, let value = condition[sign...].dropFirst().first else { return true }
        return !value.text.isEmpty && AddedSheet.hasClass(containing: value.text.lowercased())
    }

    /// Whether a condition on `src` may hold for one URL of an image and not for another.
    ///
    /// A bake keeps the fragment of a URL, so `[src$="#left"]` holds as before.
    private static func dependsOnURL(_ condition: [SizingToken]) -> Bool {
        let sign = condition.firstIndex { $0.isDelimiter(UInt8(ascii: "=")) }
        guard let sign else { return false }
        guard let value = condition[sign...].dropFirst().first else { return true }
        if value.kind == .string, value.text.isEmpty { return false }
        let isPart =
            sign > 0
            && (condition[sign - 1].isDelimiter(UInt8(ascii: "$"))
                || condition[sign - 1].isDelimiter(UInt8(ascii: "*")))
        return !(isPart && value.text.hasPrefix("#") && value.text.count > 1)
    }

    /// The tokens up to the bracket or parenthesis that closes the open one.
    private mutating func inBrackets() -> Range<Int> {
        let start = index
        var level = 1
        while index < tokens.endIndex {
            let token = tokens[index]
            index += 1
            switch token.kind {
            case .function, .delimiter(UInt8(ascii: "(")), .delimiter(UInt8(ascii: "[")): level += 1
            case .delimiter(UInt8(ascii: ")")), .delimiter(UInt8(ascii: "]")): level -= 1
            default: break
            }
            if level == 0 { return start..<index - 1 }
        }
        return start..<index
    }
}
