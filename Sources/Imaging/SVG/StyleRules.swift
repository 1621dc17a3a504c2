/// The rules for CSS in an SVG, in a style sheet or an attribute: it must load nothing.
enum StyleRules {
    /// The objection to `text`, or nil.
    ///
    /// Comments are not removed, so that none can hide CSS that a browser reads.
    static func objection(to text: String) -> String? {
        guard text.utf8.contains(where: { $0 == 0x28 || $0 == 0x40 || $0 == 0x5C }) else {
            return nil
        }
        let text = unescaped(text).lowercased()
        if text.contains("@import") { return "an @import" }
        if text.contains("image-set(") { return "an image-set()" }
        if text.contains("expression(") { return "an expression()" }
        for function in functions {
            var rest = text[...]
            while let start = rest.firstRange(of: "\(function)(") {
                rest = rest[start.upperBound...]
                let end = rest.firstIndex(of: ")") ?? rest.endIndex
                let address = rest[..<end].filter { $0 != "\"" && $0 != "'" }
                if let what = Reference(address).objection { return "\(what) by \(function)()" }
            }
        }
        return nil
    }

    /// The functions with a URL argument: `url()`, and `src()` of CSS Values 4.
    private static let functions = ["url", "src"]

    /// `text` with each CSS escape replaced by its character.
    private static func unescaped(_ text: String) -> String {
        guard text.contains("\\") else { return text }
        var plain = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                plain.append(scalar)
                continue
            }
            let digits = rest.prefix(6).prefix { $0.properties.isASCIIHexDigit }
            guard !digits.isEmpty else { continue }
            rest = rest.dropFirst(digits.count)
            if let next = rest.first, next.properties.isWhitespace { rest.removeFirst() }
            let code = UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
            plain.append(code.flatMap(Unicode.Scalar.init) ?? "\u{FFFD}")
        }
        return String(plain)
    }

    /// The parts of CSS that load something, if they are written without escapes.
    ///
    /// An `@import` is removed completely. A URL becomes `#`, a reference to nothing in the file
    /// itself. It fails like the URL, which is never loaded in an image, so every fallback in the
    /// same value still applies.
    static func outsideParts(
        of bytes: [UInt8], in range: Range<Int>
    ) -> [(range: Range<Int>, bytes: [UInt8])] {
        var parts: [(range: Range<Int>, bytes: [UInt8])] = []
        let lower = bytes[range].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        var index = 0
        while index < lower.count {
            let rest = lower[index...]
            if rest.starts(with: "@import".utf8) {
                let end = statementEnd(lower, from: index)
                parts.append((range.lowerBound + index..<range.lowerBound + end, []))
                index = end
            } else if let name = functions.first(where: { rest.starts(with: "\($0)(".utf8) }) {
                let start = index + name.utf8.count + 1
                let end = lower[start...].firstIndex(of: UInt8(ascii: ")")) ?? lower.count
                let address = String(decoding: lower[start..<end], as: UTF8.self)
                    .filter { $0 != "\"" && $0 != "'" }
                if Reference(address).objection != nil {
                    let place = range.lowerBound + start..<range.lowerBound + end
                    parts.append((place, [UInt8(ascii: "#")]))
                }
                index = end
            } else {
                index += 1
            }
        }
        return parts
    }

    /// The offset after the semicolon that ends an at-rule, outside of quotes and brackets.
    private static func statementEnd(_ bytes: [UInt8], from start: Int) -> Int {
        var quote: UInt8?
        var depth = 0
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ";") where depth <= 0: return index + 1
            default: break
            }
        }
        return bytes.count
    }
}
