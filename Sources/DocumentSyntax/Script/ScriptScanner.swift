/// Finds the strings and template literals of a script (ECMA-262), without its grammar.
///
/// Whether a `/` divides or begins a regular expression follows from the token before it, except
/// after some `}` and some words. There, the scanner does not guess: such a script has no literals.
package struct ScriptScanner {
    /// A string, a template literal, or a sum that begins and ends with such literals.
    package struct Literal {
        /// The range without the quotation marks.
        package var range: Range<Int>
        /// The ranges in it that are no text, in order: the substitutions of a template literal, with
        /// `${` and `}`, and what stands between the literals of a sum, with their quotation marks.
        package var substitutions: [Range<Int>] = []
        /// The place of the bracket that it stands in; nil if there is none.
        package var bracket: Int?
        /// Whether it follows that bracket at once.
        package var isFirst = false
        /// Whether the text is the whole value of an expression: no part of a sum, no key and no
        /// name of a module.
        package var isValue: Bool
        /// Whether a function reads the template literal, which it may do without its escapes.
        package var isTagged = false
    }

    /// What a `/` is after a token.
    private enum Slash { case divides, beginsExpression, isUnsure }

    /// A word that matters for what follows it.
    private enum Word { case none, control, module, block, label }

    /// The token before the current one.
    private struct Previous {
        var slash = Slash.beginsExpression
        /// The last byte of a sign; 0 for other tokens.
        var sign: UInt8 = 0
        var word = Word.none
        /// Whether a statement begins after the token.
        var endsStatement = false
        var isArrow = false
    }

    /// A bracket, or a substitution of a template literal, that is open.
    private struct Bracket {
        var sign: UInt8
        /// What a `/` is after its end.
        var slash = Slash.divides
        var isControl = false
        /// Whether it is the parenthesis of `import(…)`.
        var isImport = false
        /// Whether it follows a value, of which it names a member.
        var isMember = false
        /// Its place.
        var start = 0
    }

    private let bytes: UnsafeBytes
    private let visit: (Literal) -> Void
    private var index: Int
    private var previous = Previous(endsStatement: true)
    private var brackets: [Bracket] = []
    /// A sum that ends with a literal so far, and the number of brackets around it.
    private var sum: (literal: Literal, depth: Int)?
    /// The template literals that are open.
    private var templates: [(literal: Literal, before: Previous)] = []

    /// Reads a script.
    ///
    /// - Parameters:
    ///   - bytes: The script.
    ///   - visit: Is called for each literal. One in a substitution comes before the literal around
    ///     it.
    /// - Returns: Whether the script was read with certainty; if not, the visited literals must be
    ///   discarded.
    package static func read(_ bytes: UnsafeBytes, visit: (Literal) -> Void) -> Bool {
        withoutActuallyEscaping(visit) { visit in
            var scanner = ScriptScanner(bytes, visit: visit)
            return scanner.run()
        }
    }

    private init(_ bytes: UnsafeBytes, visit: @escaping (Literal) -> Void) {
        self.bytes = bytes
        self.visit = visit
        index = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
    }

    private mutating func run() -> Bool {
        if text("#!") { skipLine() }
        while index < bytes.count {
            guard step() else { return false }
        }
        return brackets.isEmpty && templates.isEmpty
    }

    /// - Returns: Whether the token at `index` was read with certainty.
    private mutating func step() -> Bool {
        let byte = bytes[index]
        switch byte {
        case .doubleQuote, .singleQuote: return takeString(byte)
        case .backtick:
            templates.append((newLiteral(isTagged: previous.slash == .divides), previous))
            index += 1
            return takeTemplate()
        case .slash: return takeSlash()
        case _ where byte.isASCIIDigit: takeWord(isNumber: true)
        case UInt8(ascii: "."):
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            if next.isASCIIDigit { takeWord(isNumber: true) } else { takeDots() }
        case _ where byte.isHTMLSpace || byte == .verticalTab: index += 1
        case _ where byte.isPartOfWord || byte == .backslash || byte == .hash:
            let length = lengthOfSpace
            if length > 0 { index += length } else { takeWord(isNumber: false) }
        case .openBrace, .openBracket, .openParenthesis: open(byte)
        case .closeBrace, .closeBracket, .closeParenthesis: return close(byte)
        case .less where text("<!--"), .hyphen where text("-->"): return takeHTMLComment(byte)
        default: takeSign(byte)
        }
        return true
    }

    private func text(_ text: StaticString) -> Bool { bytes.matches(text, at: index) }
}

// Comments, words and signs.
extension ScriptScanner {
    private mutating func skipLine() {
        while index < bytes.count, !bytes[index].isLineEnd, !isLineSeparator(at: index) {
            index += 1
        }
    }

    /// Whether a line ends at `offset` with U+2028 or U+2029.
    private func isLineSeparator(at offset: Int) -> Bool {
        guard bytes[offset] == 0xE2, offset + 2 < bytes.count else { return false }
        return bytes[offset + 1] == 0x80 && bytes[offset + 2] & 0xFE == 0xA8
    }

    /// The length of the white space at `index` that is not ASCII; 0 for none.
    private var lengthOfSpace: Int {
        guard bytes[index] >= 0xC2, index + 1 < bytes.count else { return 0 }
        if bytes[index] == 0xC2 { return bytes[index + 1] == 0xA0 ? 2 : 0 }
        guard index + 2 < bytes.count else { return 0 }
        switch (bytes[index], bytes[index + 1], bytes[index + 2]) {
        case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9),
            (0xE2, 0x80, 0xAF), (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80), (0xEF, 0xBB, 0xBF):
            return 3
        default: return 0
        }
    }

    /// Reads `<!--` or `-->`, which begin a comment at the start of a line, and elsewhere may do so.
    private mutating func takeHTMLComment(_ byte: UInt8) -> Bool {
        var start = index
        while start > 0, bytes[start - 1].isMarkdownSpace, !bytes[start - 1].isLineEnd {
            start -= 1
        }
        if start == 0 || bytes[start - 1].isLineEnd {
            skipLine()
        } else {
            if byte == .less { return false }
            takeSign(byte)
        }
        return true
    }

    private mutating func takeSlash() -> Bool {
        if text("//") {
            skipLine()
            return true
        }
        if text("/*") {
            index += 2
            while let star = bytes.firstIndex(of: .asterisk, from: index) {
                index = star + 1
                if index < bytes.count, bytes[index] == .slash {
                    index += 1
                    return true
                }
            }
            return false
        }
        switch previous.slash {
        case .divides: takeSign(.slash)
        case .beginsExpression: return takeRegularExpression()
        case .isUnsure: return false
        }
        return true
    }

    private mutating func takeRegularExpression() -> Bool {
        var isInClass = false
        index += 1
        while index < bytes.count, !bytes[index].isLineEnd, !isLineSeparator(at: index) {
            switch bytes[index] {
            case .backslash:
                index += 1
                guard index < bytes.count, !bytes[index].isLineEnd else { return false }
            case .openBracket: isInClass = true
            case .closeBracket: isInClass = false
            case .slash where !isInClass:
                index += 1
                while index < bytes.count, bytes[index].isPartOfWord { index += 1 }
                previous = Previous(slash: .divides)
                return true
            default: break
            }
            index += 1
        }
        return false
    }

    private mutating func takeDots() {
        let count = text("...") ? 3 : 1
        index += count
        // After one dot comes the name of a member, which is no keyword.
        previous = Previous(sign: count == 1 ? UInt8(ascii: ".") : .comma)
    }

    private mutating func takeSign(_ byte: UInt8) {
        if byte != .plus, sum?.depth == brackets.count { sum = nil }
        index += 1
        if (byte == .hyphen || byte == .plus), index < bytes.count, bytes[index] == byte {
            index += 1
            previous = Previous(slash: .divides)
        } else if byte == .plus, index < bytes.count, bytes[index] == .equals {
            index += 1
            previous = Previous(sign: .plus)
        } else if byte == .equals, index < bytes.count, bytes[index] == .greater {
            index += 1
            previous = Previous(sign: byte, isArrow: true)
        } else {
            previous = Previous(sign: byte, endsStatement: byte == .semicolon)
        }
    }

    /// Reads a number, a name or a keyword.
    private mutating func takeWord(isNumber: Bool) {
        let start = index
        while index < bytes.count {
            let byte = bytes[index]
            let isPart =
                byte.isPartOfWord && (byte < 0x80 || lengthOfSpace == 0)
                || isNumber && byte == UInt8(ascii: ".") || byte == .hash && index == start
                || byte == .backslash
            guard isPart else { break }
            // A letter may be written as `\u{61}`.
            let end = text("\\u{") ? bytes[index...].prefix(10).firstIndex(of: .closeBrace) : nil
            index = (end ?? index) + 1
        }
        let isMember = previous.sign == UInt8(ascii: ".")
        let wasControl = previous.word == .control
        previous = Previous(slash: .divides)
        if isNumber || isMember || index - start > 10 { return }
        read(keyword: UnsafeBytes(rebasing: bytes[start..<index]), wasControl: wasControl)
    }

    private mutating func read(keyword: UnsafeBytes, wasControl: Bool) {
        guard keyword.count > 1, let first = keyword.first, first >= 0x61, first <= 0x79 else {
            return
        }
        func isOne(of words: [StaticString]) -> Bool { words.contains { keyword.isExactly($0) } }
        if isOne(of: Self.expressionKeywords) {
            previous.slash = .beginsExpression
            if keyword.isExactly("case") { previous.word = .label }
        } else if isOne(of: Self.unsureKeywords) {
            previous.slash = .isUnsure
            if wasControl, keyword.isExactly("await") { previous.word = .control }
        } else if isOne(of: Self.controlKeywords) {
            previous.word = .control
        } else if isOne(of: Self.blockKeywords) {
            previous = Previous(word: .block, endsStatement: true)
        } else if keyword.isExactly("import") || keyword.isExactly("from") {
            previous.word = .module
        }
    }

    private static let expressionKeywords: [StaticString] = [
        "return", "typeof", "case", "in", "new", "void", "throw", "delete", "instanceof",
        "default", "extends",
    ]
    private static let unsureKeywords: [StaticString] = [
        "of", "await", "yield", "break", "continue", "debugger", "class",
    ]
    private static let controlKeywords: [StaticString] = [
        "if", "for", "while", "switch", "catch", "with",
    ]
    private static let blockKeywords: [StaticString] = ["else", "do", "try", "finally"]
}

// Brackets.
extension ScriptScanner {
    private mutating func open(_ sign: UInt8) {
        var bracket = Bracket(sign: sign, start: index)
        switch sign {
        case .openParenthesis:
            bracket.isControl = previous.word == .control
            bracket.isImport = previous.word == .module
        case .openBracket:
            bracket.isMember = previous.slash == .divides || previous.sign == UInt8(ascii: ".")
        default: bracket.slash = slashAfterBlock
        }
        brackets.append(bracket)
        index += 1
        previous = Previous(sign: sign, endsStatement: bracket.slash == .beginsExpression)
    }

    /// What a `/` is after the end of the brace at `index`: it follows a block or an object.
    private var slashAfterBlock: Slash {
        if previous.endsStatement || previous.sign == .closeBrace { return .beginsExpression }
        if previous.slash != .beginsExpression || previous.isArrow { return .isUnsure }
        guard previous.sign == .colon, let outer = brackets.last else {
            return previous.sign == .colon ? .isUnsure : .divides
        }
        // After the label of a statement it is a block, and in a conditional expression an object.
        return outer.sign == .openBrace && outer.slash != .divides ? .isUnsure : .divides
    }

    private mutating func close(_ sign: UInt8) -> Bool {
        guard let bracket = brackets.popLast() else { return false }
        if let depth = sum?.depth, depth > brackets.count { sum = nil }
        index += 1
        switch (bracket.sign, sign) {
        case (.openParenthesis, .closeParenthesis):
            previous = Previous(
                slash: bracket.isControl ? .beginsExpression : .divides, sign: sign,
                endsStatement: bracket.isControl)
        case (.openBracket, .closeBracket): previous = Previous(slash: .divides, sign: sign)
        case (.openBrace, .closeBrace):
            previous = Previous(
                slash: bracket.slash, sign: sign,
                endsStatement: bracket.slash == .beginsExpression)
        case (.backtick, .closeBrace):
            templates[templates.count - 1].literal.substitutions.append(bracket.start..<index)
            return takeTemplate()
        default: return false
        }
        return true
    }
}

// Strings and template literals.
extension ScriptScanner {
    /// A literal without text that begins at `index`.
    private func newLiteral(isTagged: Bool = false) -> Literal {
        Literal(
            range: index + 1..<index + 1, bracket: brackets.last?.start,
            isFirst: previous.sign == brackets.last?.sign, isValue: mayBeValue, isTagged: isTagged)
    }

    /// Visits a literal that ends before `index`, or the sum that ends with it.
    private mutating func finish(_ literal: Literal, after before: Previous) {
        var literal = literal
        if before.sign == .plus, let (start, depth) = sum, depth == brackets.count {
            visit(literal)
            let between = start.range.upperBound..<literal.range.lowerBound
            literal.substitutions = start.substitutions + [between] + literal.substitutions
            literal.range = start.range.lowerBound..<literal.range.upperBound
            (literal.bracket, literal.isFirst) = (start.bracket, start.isFirst)
            (literal.isValue, literal.isTagged) = (true, false)
        }
        // One in a bracket of a sum is none of its parts.
        if sum.map({ $0.depth == brackets.count }) ?? true {
            let mayBegin = literal.isValue && !literal.isTagged && isAdded
            sum = mayBegin ? (literal, brackets.count) : nil
        }
        literal.isValue = literal.isValue && isValue(after: before)
        visit(literal)
        previous = Previous(slash: .divides)
    }

    /// Whether something is added to what ends before `index`.
    private var isAdded: Bool {
        let rest = bytes[index...].drop(while: \.isHTMLSpace)
        return rest.first == .plus && rest.dropFirst().first != .plus
    }

    /// Whether a literal at `index` is not preceded by what makes it a part of a value, or no value.
    private var mayBeValue: Bool {
        previous.sign != .plus && previous.word != .module && previous.word != .label
            && !(previous.sign == .openParenthesis && brackets.last?.isImport == true)
    }

    /// Whether a literal that ends before `index` is not followed by such a thing.
    private func isValue(after before: Previous) -> Bool {
        let next = bytes[index...].first { !$0.isHTMLSpace }
        switch next {
        case .plus, .slash, .openParenthesis: return false
        // A key follows the beginning of an object or a comma, and a value of `? :` does not.
        case .colon: return before.sign != .openBrace && before.sign != .comma
        case .closeBracket where before.sign == .openBracket:
            let end = bytes.firstIndex(of: .closeBracket, from: index) ?? index
            let isKey = bytes[(end + 1)...].first { !$0.isHTMLSpace } == .colon
            return brackets.last?.isMember == false && !isKey
        default: return true
        }
    }

    private mutating func takeString(_ quote: UInt8) -> Bool {
        var literal = newLiteral()
        index += 1
        while index < bytes.count, bytes[index] != quote {
            switch bytes[index] {
            case .backslash:
                let isPair = index + 2 < bytes.count && bytes[index + 1] == .carriageReturn
                index += isPair && bytes[index + 2] == .lineFeed ? 3 : 2
            case .lineFeed, .carriageReturn: return false
            default: index += 1
            }
        }
        guard index < bytes.count else { return false }
        literal.range = literal.range.lowerBound..<index
        index += 1
        finish(literal, after: previous)
        return true
    }

    /// Reads the text of a template literal up to its next substitution or to its end.
    private mutating func takeTemplate() -> Bool {
        while index < bytes.count {
            switch bytes[index] {
            case .backslash: index += 2
            case .backtick:
                guard case (var literal, let before)? = templates.popLast() else { return false }
                literal.range = literal.range.lowerBound..<index
                index += 1
                finish(literal, after: before)
                return true
            case UInt8(ascii: "$") where text("${"):
                brackets.append(Bracket(sign: .backtick, start: index))
                index += 2
                previous = Previous(sign: .openParenthesis)
                return true
            default: index += 1
            }
        }
        return false
    }
}

extension UInt8 {
    fileprivate static var plus: UInt8 { UInt8(ascii: "+") }

    /// Whether the byte may be in a name, besides in escapes: all that are not ASCII may.
    fileprivate var isPartOfWord: Bool {
        isASCIIAlphanumeric || self == UInt8(ascii: "_") || self == UInt8(ascii: "$")
            || self >= 0x80
    }
}
