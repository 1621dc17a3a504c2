/// A TOML parser that reports the ranges of strings.
///
/// It checks the syntax, but not whether a key is repeated. It does not recurse, and it limits the
/// nesting depth.
package struct TOMLScanner {
    private enum Container {
        case array
        /// An inline table, with the number of keys that lead to it.
        case table(Int)
    }

    private enum State { case value, element, entry, afterValue }

    private static let deepest = 64

    private let bytes: UnsafeBytes
    private let visit: (_ path: [String], _ string: TOMLString) -> Void
    private let visitBare: (_ path: [String], _ range: Range<Int>) -> Void
    private var index: Int
    private let end: Int
    private var table: [String] = []
    private var path: [String] = []
    private var stack: [Container] = []

    /// Reads the TOML at `range` and reports its values with their key paths: strings to `visit`,
    /// and numbers, dates and Booleans to `visitBare`, as well as tables, with an empty range.
    ///
    /// - Returns: Whether the text is valid TOML; if not, the visited values must be discarded.
    package static func read(
        _ bytes: UnsafeBytes, _ range: Range<Int>,
        visit: (_ path: [String], _ string: TOMLString) -> Void,
        visitBare: (_ path: [String], _ range: Range<Int>) -> Void = { _, _ in }
    ) -> Bool {
        withoutActuallyEscaping(visit) { visit in
            withoutActuallyEscaping(visitBare) { visitBare in
                var scanner = TOMLScanner(
                    bytes: bytes, visit: visit, visitBare: visitBare, index: range.lowerBound,
                    end: range.upperBound)
                return scanner.run()
            }
        }
    }

    private init(
        bytes: UnsafeBytes, visit: @escaping (_ path: [String], _ string: TOMLString) -> Void,
        visitBare: @escaping (_ path: [String], _ range: Range<Int>) -> Void, index: Int, end: Int
    ) {
        self.bytes = bytes
        self.visit = visit
        self.visitBare = visitBare
        self.index = index
        self.end = end
    }

    private mutating func run() -> Bool {
        while true {
            skipWhitespaceAndComments()
            guard index < end else { return true }
            guard bytes[index] == .openBracket ? takeHeader() : takeEntry(), isAtLineEnd() else {
                return false
            }
        }
    }

    private func byte(_ offset: Int = 0) -> UInt8 {
        index + offset < end ? bytes[index + offset] : 0
    }

    private mutating func skipWhitespace() {
        while byte() == .space || byte() == .tab { index += 1 }
    }

    private mutating func skipWhitespaceAndComments() {
        while index < end {
            if byte() == .hash {
                while index < end, !byte().isLineEnd { index += 1 }
            } else if byte().isMarkdownSpace {
                index += 1
            } else {
                return
            }
        }
    }

    private mutating func isAtLineEnd() -> Bool {
        skipWhitespace()
        return index == end || byte().isLineEnd || byte() == .hash
    }

    /// Reads `[table]` or `[[array of tables]]`.
    private mutating func takeHeader() -> Bool {
        let count = byte(1) == .openBracket ? 2 : 1
        index += count
        table = []
        path = []
        guard takeKey() else { return false }
        table = path
        for _ in 0..<count {
            guard byte() == .closeBracket else { return false }
            index += 1
        }
        visitBare(path, index..<index)
        return true
    }

    /// Reads `key = value`.
    private mutating func takeEntry() -> Bool {
        path = table
        return takeKey() && takeEquals() && takeValue()
    }

    private mutating func takeEquals() -> Bool {
        guard byte() == .equals else { return false }
        index += 1
        return true
    }

    /// Reads a key, dotted or not, with the whitespace around it, and adds it to the path.
    private mutating func takeKey() -> Bool {
        while true {
            skipWhitespace()
            guard let key = takeSimpleKey(), path.count < Self.deepest else { return false }
            path.append(key)
            skipWhitespace()
            guard byte() == UInt8(ascii: ".") else { return true }
            index += 1
        }
    }

    private mutating func takeSimpleKey() -> String? {
        if byte() == .doubleQuote || byte() == .singleQuote {
            guard let key = TOMLString(in: bytes, from: &index, end: end), !key.isMultiLine else {
                return nil
            }
            return String(decoding: key.value, as: UTF8.self)
        }
        let start = index
        while byte().isASCIIAlphanumeric || byte() == .hyphen || byte() == UInt8(ascii: "_") {
            index += 1
        }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private mutating func takeValue() -> Bool {
        var state = State.value
        repeat {
            if stack.isEmpty { skipWhitespace() } else { skipWhitespaceAndComments() }
            guard index < end, let next = step(state) else { return false }
            state = next
        } while !(stack.isEmpty && state == .afterValue)
        return true
    }

    /// - Returns: The next state; nil if the token at `index` is not allowed there.
    private mutating func step(_ state: State) -> State? {
        switch (state, byte(), stack.last) {
        case (.element, .closeBracket, _), (.afterValue, .closeBracket, .array),
            (.entry, .closeBrace, _):
            return close()
        case (.element, _, _), (.value, _, _): return takeSimpleValue()
        case (.entry, _, _): return takeKey() && takeEquals() ? .value : nil
        case (.afterValue, .comma, let container?):
            index += 1
            guard case .table(let count) = container else { return .element }
            path.removeLast(path.count - count)
            return .entry
        case (.afterValue, .closeBrace, .table(let count)):
            path.removeLast(path.count - count)
            return close()
        case (.afterValue, _, _): return nil
        }
    }

    private mutating func close() -> State {
        stack.removeLast()
        index += 1
        return .afterValue
    }

    private mutating func takeSimpleValue() -> State? {
        switch byte() {
        case .openBracket, .openBrace:
            guard stack.count < Self.deepest else { return nil }
            let isArray = byte() == .openBracket
            stack.append(isArray ? .array : .table(path.count))
            index += 1
            if !isArray { visitBare(path, index..<index) }
            return isArray ? .element : .entry
        case .doubleQuote, .singleQuote:
            guard let string = TOMLString(in: bytes, from: &index, end: end) else { return nil }
            visit(path, string)
            return .afterValue
        default:
            let start = index
            guard takeBare() else { return nil }
            visitBare(path, start..<index)
            // A space may separate a date from its time.
            if byte() == .space, byte(1).isASCIIDigit {
                index += 1
                _ = takeBare()
            }
            return .afterValue
        }
    }

    /// Reads a number, a date or a Boolean.
    private mutating func takeBare() -> Bool {
        let start = index
        while byte().isASCIIAlphanumeric || Self.bareCharacters.contains(byte()) { index += 1 }
        return index > start
    }

    private static let bareCharacters = Set("+-_.:".utf8)
}

/// A TOML string of any of the four kinds.
package struct TOMLString {
    /// The range of the string without quotation marks.
    package let range: Range<Int>
    /// The decoded string; for some multi-line strings, the text as written.
    package let value: [UInt8]
    /// Whether the string has triple quotation marks.
    package let isMultiLine: Bool
    package let isLiteral: Bool

    /// Reads the string at `index`, which moves to its end.
    package init?(in bytes: UnsafeBytes, from index: inout Int, end: Int) {
        let quote = bytes[index]
        isLiteral = quote == .singleQuote
        isMultiLine = index + 2 < end && bytes[index + 1] == quote && bytes[index + 2] == quote
        let start = index + (isMultiLine ? 3 : 1)
        guard
            let close = Self.close(
                bytes, from: start, end: end, quote: quote, isMultiLine: isMultiLine)
        else { return nil }
        range = start..<close
        index = close + (isMultiLine ? 3 : 1)
        let text = UnsafeBytes(rebasing: bytes[range])
        if isLiteral {
            value = Array(text)
        } else if let decoded = StringEscapes.toml.decode(text) {
            value = decoded
        } else if isMultiLine {
            // A line-ending backslash is allowed only in a multi-line string, and is not decoded
            // here.
            value = Array(text)
        } else {
            return nil
        }
    }

    /// The offset of the closing quotation marks of the string that begins at `start`.
    private static func close(
        _ bytes: UnsafeBytes, from start: Int, end: Int, quote: UInt8, isMultiLine: Bool
    ) -> Int? {
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte == .backslash, quote == .doubleQuote {
                index += 2
            } else if byte == quote {
                if !isMultiLine { return index }
                var count = 1
                while index + count < end, bytes[index + count] == quote { count += 1 }
                // Up to two quotation marks before the closing three belong to the string.
                if count >= 3 { return index + min(count, 5) - 3 }
                index += count
            } else if !isMultiLine, byte.isLineEnd {
                return nil
            } else {
                index += 1
            }
        }
        return nil
    }
}
