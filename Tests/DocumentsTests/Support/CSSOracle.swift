import DocumentSyntax

/// A tokenizer of CSS Syntax 3, section 4, written from the standard and independent of
/// ``CSSScanner``: it works on the preprocessed scalars and makes every token.
struct CSSOracle {
    enum Token: Equatable {
        case ident(String), function(String), atKeyword(String), hash(String)
        case string(String), badString, url(String), badURL
        case number(String), delimiter(Unicode.Scalar), whitespace, comment
    }

    private let input: [Unicode.Scalar]
    private var index = 0

    /// The tokens of a style sheet in any encoding that is a superset of ASCII.
    static func tokens(of bytes: [UInt8]) -> [Token] {
        var oracle = CSSOracle(bytes)
        var tokens: [Token] = []
        while oracle.index < oracle.input.count { tokens.append(oracle.next()) }
        return tokens
    }

    /// The tokens in which the text of each `url()`, and of each string in `url()` and
    /// `image-set()`, is missing.
    static func structure(of bytes: [UInt8]) -> [Token] {
        /// For each open bracket, whether strings directly in it may be URLs.
        var open: [Bool] = []
        return tokens(of: bytes).map { token in
            switch token {
            case .url: return .url("")
            case .string where open.last == true: return .string("")
            case .function(let name):
                open.append(["url", "image-set", "-webkit-image-set"].contains(name.lowercased()))
            case .delimiter("("): open.append(false)
            case .delimiter(")"): _ = open.popLast()
            case .delimiter("{"), .delimiter("}"): open = []
            default: break
            }
            return token
        }
    }

    /// Preprocesses the input as section 3.3 says; bytes that are not ASCII stay distinct.
    private init(_ bytes: [UInt8]) {
        var scalars: [Unicode.Scalar] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case 0x0D:
                scalars.append("\n")
                if index + 1 < bytes.count, bytes[index + 1] == 0x0A { index += 1 }
            case 0x0C: scalars.append("\n")
            case 0: scalars.append("\u{FFFD}")
            case let byte: scalars.append(Unicode.Scalar(byte))
            }
            index += 1
        }
        input = scalars
    }

    private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        index + offset < input.count ? input[index + offset] : nil
    }

    private func isSpace(_ scalar: Unicode.Scalar?) -> Bool {
        scalar == " " || scalar == "\n" || scalar == "\t"
    }

    private func isNameStart(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
            || scalar.value >= 0x80
    }

    private func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { ("0"..."9").contains($0) } ?? false
    }

    private func isName(_ scalar: Unicode.Scalar?) -> Bool {
        isNameStart(scalar) || isDigit(scalar) || scalar == "-"
    }

    private func isEscape(at offset: Int = 0) -> Bool {
        peek(offset) == "\\" && peek(offset + 1) != "\n"
    }

    private func startsName() -> Bool {
        if peek() == "-" { return isNameStart(peek(1)) || peek(1) == "-" || isEscape(at: 1) }
        return isNameStart(peek()) || isEscape()
    }

    private func startsNumber() -> Bool {
        let sign = peek() == "+" || peek() == "-" ? 1 : 0
        return isDigit(peek(sign)) || peek(sign) == "." && isDigit(peek(sign + 1))
    }

    private mutating func next() -> Token {
        if peek() == "/", peek(1) == "*" { return comment() }
        guard let scalar = peek() else { return .whitespace }
        if isSpace(scalar) {
            while isSpace(peek()) { index += 1 }
            return .whitespace
        }
        if scalar == "\"" || scalar == "'" { return string(scalar) }
        if startsNumber() { return number() }
        if scalar == "#", isName(peek(1)) || isEscape(at: 1) {
            index += 1
            return .hash(name())
        }
        if scalar == "@" {
            index += 1
            return startsName() ? .atKeyword(name()) : .delimiter("@")
        }
        if peek() == "<", peek(1) == "!", peek(2) == "-", peek(3) == "-" {
            index += 4
            return .ident("<!--")
        }
        if peek() == "-", peek(1) == "-", peek(2) == ">" {
            index += 3
            return .ident("-->")
        }
        if startsName() { return identLike() }
        index += 1
        return .delimiter(scalar)
    }

    private mutating func comment() -> Token {
        index += 2
        while index < input.count, !(peek() == "*" && peek(1) == "/") { index += 1 }
        index = min(index + 2, input.count)
        return .comment
    }

    private mutating func string(_ quote: Unicode.Scalar) -> Token {
        index += 1
        var text = ""
        while let scalar = peek() {
            if scalar == quote {
                index += 1
                return .string(text)
            }
            if scalar == "\n" { return .badString }
            if scalar == "\\" {
                if peek(1) == nil {
                    index += 1
                } else if peek(1) == "\n" {
                    index += 2
                } else {
                    text.unicodeScalars.append(escape())
                }
                continue
            }
            text.unicodeScalars.append(scalar)
            index += 1
        }
        return .string(text)
    }

    /// Consumes a backslash and what it escapes.
    private mutating func escape() -> Unicode.Scalar {
        index += 1
        guard let first = peek() else { return "\u{FFFD}" }
        var value: UInt32 = 0
        var digits = 0
        while digits < 6, let digit = peek().flatMap({ Character($0).hexDigitValue }),
            peek()?.isASCII == true
        {
            value = value * 16 + UInt32(digit)
            digits += 1
            index += 1
        }
        guard digits > 0 else {
            index += 1
            return first
        }
        if isSpace(peek()) { index += 1 }
        return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private mutating func name() -> String {
        var text = ""
        while true {
            if isName(peek()), let scalar = peek() {
                text.unicodeScalars.append(scalar)
                index += 1
            } else if isEscape() {
                text.unicodeScalars.append(escape())
            } else {
                return text
            }
        }
    }

    private mutating func number() -> Token {
        let start = index
        if peek() == "+" || peek() == "-" { index += 1 }
        while isDigit(peek()) { index += 1 }
        if peek() == ".", isDigit(peek(1)) {
            index += 2
            while isDigit(peek()) { index += 1 }
        }
        if peek() == "e" || peek() == "E" {
            let sign = peek(1) == "+" || peek(1) == "-" ? 1 : 0
            if isDigit(peek(1 + sign)) {
                index += 2 + sign
                while isDigit(peek()) { index += 1 }
            }
        }
        var text = String(String.UnicodeScalarView(input[start..<index]))
        if startsName() {
            text += name()
        } else if peek() == "%" {
            text += "%"
            index += 1
        }
        return .number(text)
    }

    private mutating func identLike() -> Token {
        let text = name()
        guard peek() == "(" else { return .ident(text) }
        index += 1
        guard text.lowercased() == "url" else { return .function(text) }
        var ahead = 0
        while isSpace(peek(ahead)) { ahead += 1 }
        if peek(ahead) == "\"" || peek(ahead) == "'" { return .function(text) }
        return url()
    }

    private mutating func url() -> Token {
        while isSpace(peek()) { index += 1 }
        var text = ""
        while let scalar = peek() {
            if scalar == ")" {
                index += 1
                return .url(text)
            }
            if isSpace(scalar) {
                while isSpace(peek()) { index += 1 }
                if peek() == nil || peek() == ")" {
                    index = min(index + 1, input.count)
                    return .url(text)
                }
                return badURL()
            }
            let isControl = scalar.value < 0x20 || scalar.value == 0x7F
            if scalar == "\"" || scalar == "'" || scalar == "(" || isControl { return badURL() }
            if scalar == "\\" {
                guard isEscape() else { return badURL() }
                text.unicodeScalars.append(escape())
            } else {
                text.unicodeScalars.append(scalar)
                index += 1
            }
        }
        return .url(text)
    }

    private mutating func badURL() -> Token {
        while let scalar = peek() {
            if scalar == ")" {
                index += 1
                return .badURL
            }
            if isEscape() { _ = escape() } else { index += 1 }
        }
        return .badURL
    }
}

/// Whether two style sheets have the same tokens except for URLs.
func isSameStyle(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    CSSOracle.structure(of: first) == CSSOracle.structure(of: second)
}
