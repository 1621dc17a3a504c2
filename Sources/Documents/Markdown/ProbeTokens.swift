import DocumentSyntax
internal import Glibc

/// Tokens that are inserted around candidates in a text to find out how the parser reads them.
///
/// A token consists of letters and digits, so it does not change the meaning of the text around a
/// URL. It begins with a prefix that does not occur in the text.
struct ProbeTokens {
    private let prefix: [UInt8]

    init(unusedIn text: UnsafeBytes) {
        // No suffix of the prefix is also its beginning, so a token next to the text cannot form
        // another prefix.
        let used = Self.prefixes(in: text)
        var prefix = Array("zqj".utf8)
        var suffix = 0
        while used.contains(prefix) {
            prefix = Array("zq\(suffix)j".utf8)
            suffix += 1
        }
        self.prefix = prefix
    }

    /// The possible prefixes that occur in the text.
    private static func prefixes(in text: UnsafeBytes) -> Set<[UInt8]> {
        var result: Set<[UInt8]> = []
        for start in text.places(of: UInt8(ascii: "z")) {
            guard start + 1 < text.count, text[start + 1] == UInt8(ascii: "q") else { continue }
            var end = start + 2
            while end < text.count, text[end].isASCIIDigit { end += 1 }
            guard end < text.count, text[end] == UInt8(ascii: "j") else { continue }
            // The unused prefix always has fewer digits than this.
            if end - start < 20 { result.insert(text.copy(start..<end + 1)) }
        }
        return result
    }

    /// The token before the candidate with this index.
    func start(_ index: Int) -> [UInt8] { prefix + "\(index)".utf8 + [UInt8(ascii: "s")] }

    /// The token after a candidate.
    var end: [UInt8] { prefix + [UInt8(ascii: "e")] }

    /// Whether a C string begins with a token.
    func isPrefix(of text: UnsafePointer<CChar>) -> Bool {
        strncmp(text, prefix.map(CChar.init(bitPattern:)), prefix.count) == 0
    }

    /// The indices of the candidates whose first token is in a text.
    func numbers(in text: UnsafeBytes) -> [Int] {
        var result: [Int] = []
        for start in text.places(of: prefix[0]) {
            guard text[start...].starts(with: prefix) else { continue }
            let digits = text[(start + prefix.count)...].prefix(while: \.isASCIIDigit)
            let isStart = digits.endIndex < text.count && text[digits.endIndex] == UInt8(ascii: "s")
            if isStart, let number = Int(String(decoding: digits, as: UTF8.self)) {
                result.append(number)
            }
        }
        return result
    }

    /// A parsed value with its tokens removed.
    struct Reading {
        /// The index of the candidate that is the whole value.
        var candidate: Int?
        /// The value without tokens.
        var text: [UInt8]
    }

    func read(_ value: [UInt8]) -> Reading {
        var text: [UInt8] = []
        text.reserveCapacity(value.count)
        var first: Int?
        var endsWithToken = false
        var index = 0
        while index < value.count {
            endsWithToken = false
            guard value[index] == prefix[0], value[index...].starts(with: prefix) else {
                text.append(value[index])
                index += 1
                continue
            }
            let isFirst = index == 0
            index += prefix.count
            var number = 0
            while index < value.count, value[index].isASCIIDigit {
                number = number &* 10 &+ Int(value[index] - 0x30)
                index += 1
            }
            guard index < value.count else { break }
            let isStart = value[index] == UInt8(ascii: "s")
            endsWithToken = !isStart
            if isFirst, isStart { first = number }
            index += 1
        }
        return Reading(candidate: endsWithToken ? first : nil, text: text)
    }
}
