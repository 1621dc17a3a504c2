/// What CSS in an SVG, be it a style sheet or an attribute, must not load.
enum StyleRules {
    /// What is wrong with `text`, or nil.
    ///
    /// Comments are not taken out, so that none can hide what a browser sees.
    static func objection(to text: String) -> String? {
        guard text.utf8.contains(where: { $0 == 0x28 || $0 == 0x40 || $0 == 0x5C }) else {
            return nil
        }
        let text = unescaped(text).lowercased()
        if text.contains("@import") { return "an @import" }
        if text.contains("image-set(") { return "an image-set()" }
        if text.contains("expression(") { return "an expression()" }
        var rest = text[...]
        while let start = rest.firstRange(of: "url(") {
            rest = rest[start.upperBound...]
            let end = rest.firstIndex(of: ")") ?? rest.endIndex
            let address = rest[..<end].filter { $0 != "\"" && $0 != "'" }
            if let what = Reference(address).objection { return "\(what) by url()" }
        }
        return nil
    }

    /// `text` with each escape of CSS replaced by the character it stands for.
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
}
