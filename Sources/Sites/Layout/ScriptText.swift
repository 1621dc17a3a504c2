/// The plain literals of a configuration that is a program, in JavaScript, TypeScript or Python.
///
/// The program is never executed. For a computed value, only its presence is known.
struct ScriptText {
    /// The value of a key.
    enum Value: Equatable {
        case text(String)
        /// A list in which every element is a plain text.
        case list([String])
        /// A value that only running the program could determine.
        case computed
    }

    private enum Token: Equatable {
        case word(String)
        case text(String)
        /// A text that is not plain: it has placeholders or escapes, or is not closed.
        case computedText
        case sign(UInt8)
    }

    /// A token, and where it is.
    private struct Lexeme {
        var token: Token
        /// The number of brackets around it.
        var depth: Int
        /// Whether it is the first of its line.
        var beginsLine: Bool
    }

    private let tokens: [Lexeme]

    /// - Parameters:
    ///   - bytes: The program.
    ///   - isPython: Whether comments and strings are those of Python.
    init(_ bytes: [UInt8], isPython: Bool) {
        tokens = Self.lexemes(of: String(decoding: bytes, as: UTF8.self), isPython: isPython)
    }

    /// The value that `key: value` or `key = value` gives to a key; nil if there is none.
    ///
    /// If there are several, the one inside the fewest brackets counts.
    func value(of key: String) -> Value? {
        let places = tokens.indices.filter { isKey($0, key) }
        guard let place = places.min(by: { tokens[$0].depth < tokens[$1].depth }) else {
            return nil
        }
        return value(at: place + 2)
    }

    /// Whether the word is used anywhere.
    func mentions(_ word: String) -> Bool { tokens.contains { $0.token == .word(word) } }

    /// Whether the plain text is used anywhere.
    func hasText(_ text: String) -> Bool { tokens.contains { $0.token == .text(text) } }

    /// The arguments of all calls of a function: the plain text or list that is the first argument,
    /// or the pairs of plain texts in an object.
    func calls(of function: String) -> [[(key: String?, value: Value)]] {
        tokens.indices.compactMap { index in
            guard tokens[index].token == .word(function), sign(index + 1) == UInt8(ascii: "(")
            else {
                return nil
            }
            guard sign(index + 2) == UInt8(ascii: "{") else {
                return [(nil, value(at: index + 2))]
            }
            let depth = tokens[index + 2].depth
            let inside = tokens.indices[(index + 3)...].prefix { tokens[$0].depth > depth }
            return inside.compactMap { place in
                guard case .text(let key) = tokens[place].token,
                    sign(place + 1) == UInt8(ascii: ":")
                else { return nil }
                return (key, value(at: place + 2))
            }
        }
    }

    private func isKey(_ index: Int, _ key: String) -> Bool {
        guard tokens[index].token == .word(key) || tokens[index].token == .text(key) else {
            return false
        }
        guard let next = sign(index + 1) else { return false }
        return next == UInt8(ascii: ":")
            || next == UInt8(ascii: "=") && sign(index + 2) != UInt8(ascii: "=")
    }

    private func sign(_ index: Int) -> UInt8? {
        guard tokens.indices.contains(index), case .sign(let sign) = tokens[index].token else {
            return nil
        }
        return sign
    }

    private func value(at index: Int) -> Value {
        guard tokens.indices.contains(index) else { return .computed }
        if case .text(let text) = tokens[index].token {
            return isEnd(index + 1) ? .text(text) : .computed
        }
        guard sign(index) == UInt8(ascii: "[") else { return .computed }
        var items: [String] = []
        var place = index + 1
        while sign(place) != UInt8(ascii: "]") {
            guard tokens.indices.contains(place), case .text(let text) = tokens[place].token else {
                return .computed
            }
            items.append(text)
            place += 1
            if sign(place) == UInt8(ascii: ",") { place += 1 }
        }
        return .list(items)
    }

    /// Whether an expression ends before the token, and is not continued by an operator or a call.
    private func isEnd(_ index: Int) -> Bool {
        guard tokens.indices.contains(index) else { return true }
        switch tokens[index].token {
        case .sign(let sign): return !"+.([?%|&`\\".utf8.contains(sign)
        // Python joins neighbouring texts, and has words for conditions.
        case .text, .computedText: return tokens[index].beginsLine
        case .word(let word):
            return tokens[index].beginsLine || !["if", "or", "and"].contains(word)
        }
    }
}

extension ScriptText {
    /// Cuts a program into tokens; characters that it does not know become signs.
    private static func lexemes(of program: String, isPython: Bool) -> [Lexeme] {
        let comment =
            isPython ? #/#[^\n]*+/# : #/\/\/[^\n]*+|\/\*(?:[^*]|\*(?!\/))*+(?:\*\/)?/#
        let pattern = #/\/(?:\\[\s\S]|\[(?:\\[\s\S]|[^\]\\\n])*+|[^\/\\\[\n])*+\/?/#
        let long =
            isPython
            ? #/("""|''')((?:\\[\s\S]|(?!\1)[^\\])*+)(\1)?/# : #/(`)((?:\\[\s\S]|[^`\\])*+)(`)?/#
        let short = #/(["'])((?:\\[\s\S]|(?!\1)[^\\\n])*+)(\1)?/#
        var rest = program.trimmingPrefix("\u{FEFF}")
        var result: [Lexeme] = []
        var depth = 0
        var beginsLine = true
        func find<Output>(_ form: Regex<Output>) -> Regex<Output>.Match? {
            let found = try? form.matchingSemantics(.unicodeScalar).prefixMatch(in: rest)
            if let found { rest = rest[found.range.upperBound...] }
            return found
        }
        func append(_ token: Token) {
            result.append(Lexeme(token: token, depth: depth, beginsLine: beginsLine))
            beginsLine = false
        }
        while let first = rest.unicodeScalars.first {
            switch first {
            case "#" where isPython, "/" where !isPython:
                if find(comment) != nil { continue }
                if beginsExpression(after: result.last?.token), find(pattern) != nil { continue }
            case "\"", "'", "`":
                guard let text = find(long)?.output ?? find(short)?.output else { break }
                let isOpen = text.3 == nil && !rest.isEmpty
                append(isOpen ? .computedText : self.text(text.2, in: text.1))
                continue
            case _ where isOfWord(first):
                let word = rest.unicodeScalars.prefix(while: isOfWord)
                rest = rest[word.endIndex...]
                append(.word(String(word)))
                continue
            default: break
            }
            rest.unicodeScalars.removeFirst()
            if first == "\n" { beginsLine = true }
            guard first.value > 0x20, let sign = UInt8(exactly: first.value) else { continue }
            if ")]}".utf8.contains(sign) { depth -= 1 }
            append(.sign(sign))
            if "([{".utf8.contains(sign) { depth += 1 }
        }
        return result
    }

    /// Whether a value may begin after a token, so that a slash begins a regular expression.
    private static func beginsExpression(after token: Token?) -> Bool {
        switch token {
        case nil: true
        case .sign(let sign): !")]".utf8.contains(sign)
        case .word(let word): ["return", "typeof", "case", "throw", "void"].contains(word)
        case .text, .computedText: false
        }
    }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII || scalar == "_" || scalar == "$" || scalar.properties.isAlphabetic
            || scalar.properties.numericType != nil
    }

    /// A text between quotes.
    ///
    /// A backslash before a letter, a digit or a space stands for something else, and so does `${`
    /// between backticks.
    private static func text(_ content: Substring, in quote: Substring) -> Token {
        var isComputed = false
        let special = #/\\([\s\S])|\$\{/#.matchingSemantics(.unicodeScalar)
        let plain = content.replacing(special) { found in
            let escaped = found.output.1
            let isEscape =
                escaped?.allSatisfy { character in
                    character.isASCII
                        && (character.isLetter || character.isNumber || character.isWhitespace
                            || character == "_")
                } ?? (quote == "`")
            if isEscape { isComputed = true }
            return escaped ?? found.output.0
        }
        return isComputed ? .computedText : .text(String(plain))
    }
}
