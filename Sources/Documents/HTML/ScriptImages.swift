/// The URLs of images on other hosts in a text of any language, each with its offset in bytes.
package func remoteImageURLs(in text: [UInt8]) -> [(offset: Int, url: String)] {
    text.withUnsafeBufferPointer { ScriptImages.located(in: $0, at: 0) }
}

/// Finds image URLs of other hosts in scripts.
///
/// How a script uses them is not known, so they are reported and left unchanged.
enum ScriptImages {
    /// The ranges of the URLs in a script.
    ///
    /// Slashes may be escaped, as in JSON.
    static func urls(in script: UnsafeBytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var colon = script.firstIndex(of: .colon, from: 0)
        while let found = colon {
            let end = endOfURL(in: script, colon: found)
            if let start = startOfScheme(in: script, colon: found),
                let end, namesImage(script, start..<end)
            {
                result.append(start..<end)
            }
            colon = script.firstIndex(of: .colon, from: max(found + 1, end ?? 0))
        }
        return result
    }

    private static func startOfScheme(in script: UnsafeBytes, colon: Int) -> Int? {
        if script.matches("https", at: colon - 5) { return colon - 5 }
        return script.matches("http", at: colon - 4) ? colon - 4 : nil
    }

    /// The end of the URL with this colon; nil if the colon is not followed by two slashes.
    private static func endOfURL(in script: UnsafeBytes, colon: Int) -> Int? {
        guard script.matches("//", at: colon + 1) || script.matches("\\/\\/", at: colon + 1) else {
            return nil
        }
        var end = colon + 1
        var depth = 0
        while end < script.count {
            switch script[end] {
            case .openBrace, .openBracket: depth += 1
            case .closeBrace, .closeBracket:
                // In YAML, such a bracket ends a collection.
                if depth == 0 { return end }
                depth -= 1
            case 0...0x20, .doubleQuote, .singleQuote, .backtick, .less, .greater,
                .closeParenthesis:
                return end
            case .backslash where !script.matches("/", at: end + 1): return end
            default: break
            }
            end += 1
        }
        return end
    }

    private static func namesImage(_ script: UnsafeBytes, _ range: Range<Int>) -> Bool {
        hasImageExtension(UnsafeBytes(rebasing: script[range]))
    }

    /// The URLs in a script that begins at `start`, each with its offset.
    static func located(in script: UnsafeBytes, at start: Int) -> [(offset: Int, url: String)] {
        urls(in: script).map { range in
            let url = String(decoding: script[range], as: UTF8.self)
            return (start + range.lowerBound, url.replacing("\\/", with: "/"))
        }
    }
}

/// Recognises template expressions that are evaluated in the browser: `{{ … }}`, `${ … }`.
enum PageTemplates {
    /// Whether a value contains such an expression.
    static func occur(in value: [UInt8]) -> Bool {
        value.withUnsafeBufferPointer { $0.containsExactly("{{") || $0.containsExactly("${") }
    }

    /// Whether a value is the URL of another host with such an expression in it.
    static func occur(inRemote value: [UInt8]) -> Bool {
        value.withUnsafeBufferPointer(\.namesHost) && containsTemplate(value)
    }

    /// Whether a page is input for Jekyll, Hugo or another generator, which evaluates such
    /// expressions itself.
    static func isSource(_ page: UnsafeBytes) -> Bool {
        let signs: [StaticString] = [
            "{%", "<%", "<?php", "{{ .", "{{.", "{{- .", "{{ $", "{{ end", "{{end", "{{- end",
            // Liquid's variables, such as the parameters of an include, which has no front matter.
            "{{ include.", "{{include.", "{{ page.", "{{page.", "{{ site.", "{{site.",
        ]
        return signs.contains { page.containsExactly($0) }
    }
}
