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
        var lexer = Lexer(bytes: bytes, isPython: isPython)
        tokens = lexer.tokens()
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
    private struct Lexer {
        let bytes: [UInt8]
        let isPython: Bool
        private var index = 0
        private var depth = 0
        private var beginsLine = true
        private var result: [Lexeme] = []

        init(bytes: [UInt8], isPython: Bool) {
            self.bytes = bytes
            self.isPython = isPython
            if bytes.starts(with: "\u{FEFF}".utf8) { index = 3 }
        }

        mutating func tokens() -> [Lexeme] {
            while index < bytes.count { step() }
            return result
        }

        private func byte(_ offset: Int = 0) -> UInt8 {
            index + offset < bytes.count ? bytes[index + offset] : 0
        }

        private mutating func step() {
            switch byte() {
            case UInt8(ascii: "#") where isPython: skipLine()
            case UInt8(ascii: "/") where !isPython && byte(1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where !isPython && byte(1) == UInt8(ascii: "*"): skipComment()
            case UInt8(ascii: "/") where !isPython && beginsExpression: skipPattern()
            case UInt8(ascii: "\""), UInt8(ascii: "'"): takeText()
            case UInt8(ascii: "`") where !isPython: takeText()
            case let first where Self.isOfWord(first): takeWord()
            case UInt8(ascii: "\n"):
                beginsLine = true
                index += 1
            case 0...0x20: index += 1
            case let sign: take(sign)
            }
        }

        private mutating func append(_ token: Token) {
            result.append(Lexeme(token: token, depth: depth, beginsLine: beginsLine))
            beginsLine = false
        }

        private mutating func take(_ sign: UInt8) {
            if ")]}".utf8.contains(sign) { depth -= 1 }
            append(.sign(sign))
            if "([{".utf8.contains(sign) { depth += 1 }
            index += 1
        }

        private mutating func skipLine() {
            while index < bytes.count, byte() != UInt8(ascii: "\n") { index += 1 }
        }

        private mutating func skipComment() {
            index += 2
            while index < bytes.count, byte() != UInt8(ascii: "*") || byte(1) != UInt8(ascii: "/") {
                index += 1
            }
            index += 2
        }

        /// Whether a value may begin here, so that a slash begins a regular expression.
        private var beginsExpression: Bool {
            switch result.last?.token {
            case nil: true
            case .sign(let sign): !")]".utf8.contains(sign)
            case .word(let word): ["return", "typeof", "case", "throw", "void"].contains(word)
            case .text, .computedText: false
            }
        }

        private mutating func skipPattern() {
            index += 1
            var isInClass = false
            while index < bytes.count, byte() != UInt8(ascii: "\n") {
                switch byte() {
                case UInt8(ascii: "\\"): index += 1
                case UInt8(ascii: "["): isInClass = true
                case UInt8(ascii: "]"): isInClass = false
                case UInt8(ascii: "/") where !isInClass:
                    index += 1
                    return
                default: break
                }
                index += 1
            }
        }

        private mutating func takeWord() {
            let start = index
            while Self.isOfWord(byte()) { index += 1 }
            append(.word(String(decoding: bytes[start..<index], as: UTF8.self)))
        }

        private mutating func takeText() {
            let quote = byte()
            let isTriple = isPython && byte(1) == quote && byte(2) == quote
            let length = isTriple ? 3 : 1
            index += length
            var text: [UInt8] = []
            var isComputed = false
            while index < bytes.count {
                if byte() == UInt8(ascii: "\\") {
                    // A letter, a digit or the end of a line stands for something else.
                    if Self.isEscape(byte(1)) { isComputed = true }
                    text.append(byte(1))
                    index += 2
                    continue
                }
                if (0..<length).allSatisfy({ byte($0) == quote }) { break }
                if byte() == UInt8(ascii: "\n"), length == 1, quote != UInt8(ascii: "`") {
                    // It is not closed, so the next line is read on its own.
                    return append(.computedText)
                }
                let fills = byte() == UInt8(ascii: "$") && byte(1) == UInt8(ascii: "{")
                if quote == UInt8(ascii: "`"), fills { isComputed = true }
                text.append(byte())
                index += 1
            }
            index += length
            append(isComputed ? .computedText : .text(String(decoding: text, as: UTF8.self)))
        }

        /// Whether a backslash before the byte stands for something other than the byte.
        private static func isEscape(_ byte: UInt8) -> Bool {
            byte <= 0x20 || byte < 0x80 && byte != UInt8(ascii: "$") && isOfWord(byte)
        }

        private static func isOfWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
                0x80...:
                true
            default: false
            }
        }
    }
}
