/// The ranges of template expressions in a value: `{{ … }}`, `{% … %}`, `<% … %>`, `${ … }`, and
/// JSX expressions.
package struct TemplateRanges {
    private var ranges: [Range<Int>] = []

    package init(in value: UnsafeBytes) {
        guard containsTemplate(value) else { return }
        if value.first == .openBrace, !Self.isStart(in: value, at: 0) {
            ranges = [0..<value.count]
            return
        }
        var index = 0
        while index < value.count {
            guard Self.isStart(in: value, at: index) else {
                index += 1
                continue
            }
            let end = Self.end(in: value, from: index)
            ranges.append(index..<end)
            index = end
        }
    }

    /// Whether an expression overlaps `range` or is adjacent to it.
    package func touch(_ range: Range<Int>) -> Bool {
        // The ranges are in order, so only the first that does not end before `range` matters.
        let first = ranges.firstSortedIndex { $0.upperBound >= range.lowerBound }
        return first < ranges.count && ranges[first].lowerBound <= range.upperBound
    }

    /// Whether a template expression begins at `index`.
    package static func isStart(in value: UnsafeBytes, at index: Int) -> Bool {
        guard index + 1 < value.count else { return false }
        switch (value[index], value[index + 1]) {
        case (.openBrace, .openBrace), (.less, percent), (.less, .question), (dollar, .openBrace):
            return true
        case (.openBrace, percent):
            // `{%22` is the start of JSON in a URL.
            guard index + 3 < value.count else { return true }
            let next = (value[index + 2], value[index + 3])
            let isEscape = next.0.hexDigitValue != nil && next.1.hexDigitValue != nil
            return !(isEscape && (next.0.isASCIIDigit || next.1.isASCIIDigit))
        default: return false
        }
    }

    /// The end of the expression that begins at `start`, or of the value if the expression has no
    /// end.
    private static func end(in value: UnsafeBytes, from start: Int) -> Int {
        let close: UInt8 =
            switch (value[start], value[start + 1]) {
            case (dollar, _): .closeBrace
            case (_, percent): percent
            case (_, .question): .question
            default: .closeBrace
            }
        let isDouble = value[start] != dollar
        let last: UInt8 = value[start] == .less ? .greater : .closeBrace
        var found = value.firstIndex(of: close, from: start + 2)
        while let index = found {
            if !isDouble { return index + 1 }
            if index + 1 < value.count, value[index + 1] == last { return index + 2 }
            found = value.firstIndex(of: close, from: index + 1)
        }
        return value.count
    }

    private static let percent = UInt8(ascii: "%")
    private static let dollar = UInt8(ascii: "$")
}

/// Whether `value` contains a template or a JSX expression, so that its text is not the URL.
package func containsTemplate(_ value: UnsafeBytes) -> Bool {
    // Nearly all values have neither of the two bytes of which each expression has one.
    guard value.contains(.openBrace) || value.contains(.less) else { return false }
    return value.first == .openBrace
        || value.indices.contains { TemplateRanges.isStart(in: value, at: $0) }
}

extension UnsafeBytes {
    /// Whether a script replaces a part of the URL: `a_{width}x.jpg`.
    package var hasPlaceholder: Bool {
        places(of: .openBrace).contains { brace in
            let rest = self[(brace + 1)...]
            let name = rest.prefix { $0.isASCIILetter || $0 == UInt8(ascii: "_") }
            return !name.isEmpty && name.endIndex < count && self[name.endIndex] == .closeBrace
        }
    }
}

package func containsTemplate(_ value: [UInt8]) -> Bool {
    value.withUnsafeBufferPointer { containsTemplate($0) }
}

/// Recognises template expressions that are evaluated in the browser: `{{ … }}`, `${ … }`.
package enum PageTemplates {
    /// Whether a value contains such an expression.
    package static func occur(in value: [UInt8]) -> Bool {
        value.withUnsafeBufferPointer { $0.containsExactly("{{") || $0.containsExactly("${") }
    }

    /// Whether a value is the URL of another host with such an expression in it.
    package static func occur(inRemote value: [UInt8]) -> Bool {
        value.withUnsafeBufferPointer(\.namesHost) && containsTemplate(value)
    }

    /// Whether a page is input for Jekyll, Hugo or another generator, which evaluates such
    /// expressions itself.
    package static func isSource(_ page: UnsafeBytes) -> Bool {
        let signs: [StaticString] = [
            "{%", "<%", "<?php", "{{ .", "{{.", "{{- .", "{{ $", "{{ end", "{{end", "{{- end",
            // Liquid's variables, such as the parameters of an include, which has no front matter.
            "{{ include.", "{{include.", "{{ page.", "{{page.", "{{ site.", "{{site.",
        ]
        return signs.contains { page.containsExactly($0) }
    }
}

extension UnsafeBytes {
    /// Whether the URL has a host, with or without a scheme.
    package var namesHost: Bool {
        matches("http://", at: 0) || matches("https://", at: 0) || matches("//", at: 0)
    }
}
