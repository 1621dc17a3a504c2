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
        /// A template literal with placeholders.
        case computedText
        case sign(UInt8)
    }

    private let tokens: [(token: Token, depth: Int)]

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
        guard let next = sign(index) else { return true }
        return !"+.([?%|&`".utf8.contains(next)
    }
}

extension ScriptText {
    /// Cuts a program into tokens; characters that it does not know become signs.
    private struct Lexer {
        let bytes: [UInt8]
        let isPython: Bool
        private var index = 0
        private var depth = 0
        private var result: [(token: Token, depth: Int)] = []

        init(bytes: [UInt8], isPython: Bool) {
            self.bytes = bytes
            self.isPython = isPython
        }

        mutating func tokens() -> [(token: Token, depth: Int)] {
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
            case 0...0x20: index += 1
            case let sign: take(sign)
            }
        }

        private mutating func take(_ sign: UInt8) {
            if ")]}".utf8.contains(sign) { depth -= 1 }
            result.append((.sign(sign), depth))
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
            guard let last = result.last?.token else { return true }
            guard case .sign(let sign) = last else { return false }
            return "(,=:[!&|?{};".utf8.contains(sign)
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
            result.append((.word(String(decoding: bytes[start..<index], as: UTF8.self)), depth))
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
                    text.append(byte(1))
                    index += 2
                    continue
                }
                if (0..<length).allSatisfy({ byte($0) == quote }) { break }
                let fills = byte() == UInt8(ascii: "$") && byte(1) == UInt8(ascii: "{")
                if quote == UInt8(ascii: "`"), fills { isComputed = true }
                text.append(byte())
                index += 1
            }
            index += length
            let plain = Token.text(String(decoding: text, as: UTF8.self))
            result.append((isComputed ? .computedText : plain, depth))
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
