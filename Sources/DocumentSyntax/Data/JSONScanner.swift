/// A JSON parser (RFC 8259) that reports the ranges of strings.
///
/// It does not recurse, and it limits the nesting depth.
package struct JSONScanner {
    /// A function that is called for each string value.
    ///
    /// - Parameters:
    ///   - path: The keys that lead to the string. Lists do not add to the path.
    ///   - range: The range of the string without quotation marks.
    ///   - object: The offset of the enclosing object; nil if there is none.
    package typealias Visit = (_ path: [String], _ range: Range<Int>, _ object: Int?) -> Void

    private enum Container { case object, list }

    private enum State {
        case value, firstElement, firstKey, key, afterValue
    }

    private static let deepest = 64

    private let bytes: UnsafeBytes
    private let visit: Visit
    private var index: Int
    private var stack: [Container] = []
    private var path: [String] = []
    /// The offsets of the open objects.
    private var objects: [Int] = []
    private var state = State.value

    private init(_ bytes: UnsafeBytes, from start: Int, visit: @escaping Visit) {
        self.bytes = bytes
        self.visit = visit
        index = start
    }

    /// Reads the value at or after `start`.
    ///
    /// - Returns: The end of the value; nil if it is not valid JSON, in which case the visited
    ///   strings must be discarded.
    package static func scan(_ bytes: UnsafeBytes, from start: Int, visit: Visit) -> Int? {
        withoutActuallyEscaping(visit) { visit in
            var scanner = JSONScanner(bytes, from: start, visit: visit)
            return scanner.run()
        }
    }

    /// Reads a text that consists of one JSON value.
    ///
    /// - Returns: Whether the text is valid; if not, the visited strings must be discarded.
    package static func read(_ bytes: UnsafeBytes, visit: Visit) -> Bool {
        let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
        guard let end = scan(bytes, from: start, visit: visit) else { return false }
        return bytes[end...].allSatisfy(\.isMarkdownSpace)
    }

    private mutating func run() -> Int? {
        repeat {
            skipWhitespace()
            guard index < bytes.count, step() else { return nil }
        } while !(stack.isEmpty && state == .afterValue)
        return index
    }

    private mutating func skipWhitespace() {
        while index < bytes.count, bytes[index].isMarkdownSpace { index += 1 }
    }

    /// - Returns: Whether the token at `index` is allowed there.
    private mutating func step() -> Bool {
        let byte = bytes[index]
        switch (state, byte) {
        case (.firstElement, .closeBracket): return close()
        case (.firstKey, .closeBrace): return close()
        case (.firstKey, .doubleQuote), (.key, .doubleQuote): return takeKey()
        case (.firstKey, _), (.key, _): return false
        case (.value, _), (.firstElement, _): return takeValue()
        case (.afterValue, .comma):
            index += 1
            state = stack.last == .object ? .key : .value
            return true
        case (.afterValue, .closeBracket): return stack.last == .list && close()
        case (.afterValue, .closeBrace): return stack.last == .object && close()
        case (.afterValue, _): return false
        }
    }

    private mutating func open(_ container: Container) -> Bool {
        guard stack.count < Self.deepest else { return false }
        stack.append(container)
        if container == .object {
            path.append("")
            objects.append(index)
        }
        state = container == .object ? .firstKey : .firstElement
        index += 1
        return true
    }

    private mutating func close() -> Bool {
        if stack.popLast() == .object {
            path.removeLast()
            objects.removeLast()
        }
        state = .afterValue
        index += 1
        return true
    }

    private mutating func takeKey() -> Bool {
        guard let range = takeString(), let key = Self.decode(bytes, range) else { return false }
        skipWhitespace()
        guard index < bytes.count, bytes[index] == .colon else { return false }
        index += 1
        path[path.count - 1] = String(decoding: key, as: UTF8.self)
        state = .value
        return true
    }

    private mutating func takeValue() -> Bool {
        switch bytes[index] {
        case .openBrace: return open(.object)
        case .openBracket: return open(.list)
        case .doubleQuote:
            guard let range = takeString() else { return false }
            visit(path, range, objects.last)
        case let byte where byte == .hyphen || byte.isASCIIDigit:
            guard takeNumber() else { return false }
        default:
            guard takeWord() else { return false }
        }
        state = .afterValue
        return true
    }

    private mutating func takeWord() -> Bool {
        let words = ["true", "false", "null"]
        let word = words.first { bytes[index...].starts(with: $0.utf8) }
        index += word?.utf8.count ?? 0
        return word != nil
    }

    private mutating func takeNumber() -> Bool {
        if bytes[index] == .hyphen { index += 1 }
        let first = index
        guard takeDigits(), bytes[first] != UInt8(ascii: "0") || index == first + 1 else {
            return false
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard takeDigits() else { return false }
        }
        if index < bytes.count, bytes[index].lowercased == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == .hyphen || bytes[index] == UInt8(ascii: "+") {
                index += 1
            }
            return takeDigits()
        }
        return true
    }

    private mutating func takeDigits() -> Bool {
        let start = index
        while index < bytes.count, bytes[index].isASCIIDigit { index += 1 }
        return index > start
    }

    /// Reads the string at `index`.
    private mutating func takeString() -> Range<Int>? {
        guard let end = Self.endOfString(in: bytes, from: index + 1) else { return nil }
        defer { index = end + 1 }
        return index + 1..<end
    }

    /// The offset of the mark that ends the string with this content; nil if it is not valid.
    package static func endOfString(in bytes: UnsafeBytes, from start: Int) -> Int? {
        var index = start
        while index < bytes.count, bytes[index] >= 0x20 {
            switch bytes[index] {
            case .doubleQuote: return index
            case .backslash:
                guard isEscape(in: bytes, at: index) else { return nil }
                index += 2
            default: index += 1
            }
        }
        return nil
    }

    /// Whether a valid escape begins at `index`.
    private static func isEscape(in bytes: UnsafeBytes, at index: Int) -> Bool {
        guard index + 1 < bytes.count else { return false }
        switch Unicode.Scalar(bytes[index + 1]) {
        case "\"", "\\", "/", "b", "f", "n", "r", "t": return true
        case "u":
            let digits = index + 2..<index + 6
            return digits.upperBound <= bytes.count
                && bytes[digits].allSatisfy { $0.hexDigitValue != nil }
        default: return false
        }
    }

    /// The decoded string at `range`; nil if it has an invalid escape.
    package static func decode(_ bytes: UnsafeBytes, _ range: Range<Int>) -> [UInt8]? {
        StringEscapes.json.decode(UnsafeBytes(rebasing: bytes[range]))
    }
}
