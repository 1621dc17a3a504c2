import DocumentSyntax

/// Finds image URLs in front matter that could not be parsed.
struct UnreadableMetadata {
    let bytes: UnsafeBytes
    let keys: ImageKeys
    /// The character between a key and its value.
    let separator: UInt8

    private static let longestKey = 64

    /// A problem for each URL after a key that may name images.
    ///
    /// The URL is on the same line, or on following lines that are indented more or begin with a
    /// dash.
    func problems(in content: Range<Int>) -> [DocumentProblem] {
        var result: [DocumentProblem] = []
        /// The indentation of the key whose value is on the following lines.
        var outer: Int?
        var start = content.lowerBound
        while start < content.upperBound {
            let end = bytes[start..<content.upperBound].firstIndex(where: \.isLineEnd)
            let line = start..<(end ?? content.upperBound)
            start = line.upperBound + 1
            let text = bytes.trimmingWhitespace(line)
            guard !text.isEmpty, bytes[text.lowerBound] != .hash else { continue }
            let indentation = text.lowerBound - line.lowerBound
            if let value = value(in: text) {
                let found = problems(after: value, in: text)
                outer = found.isEmpty ? indentation : nil
                result += found
            } else if let indented = outer {
                if indentation > indented || bytes[text.lowerBound] == .hyphen {
                    result += problems(after: text.lowerBound, in: text)
                } else {
                    outer = nil
                }
            }
        }
        return result
    }

    /// The offset of the value of the first key in a line that may name images.
    private func value(in line: Range<Int>) -> Int? {
        line.first { isSeparator($0, in: line) && mayName(line.lowerBound..<$0) }.map { $0 + 1 }
    }

    private func isSeparator(_ index: Int, in line: Range<Int>) -> Bool {
        guard bytes[index] == separator else { return false }
        // The colon of a URL is not a separator.
        return separator != .colon || index + 1 == line.upperBound || bytes[index + 1] != .slash
    }

    /// Whether the text before a separator ends with a key that may name images.
    private func mayName(_ text: Range<Int>) -> Bool {
        let last = max(text.lowerBound, text.upperBound - Self.longestKey)..<text.upperBound
        var key = bytes.trimmingWhitespace(last)
        if let quote = bytes[key].last, quote == .doubleQuote || quote == .singleQuote {
            key = key.lowerBound..<key.upperBound - 1
        }
        let name = bytes[key].reversed().prefix { byte in
            byte.isASCIIAlphanumeric || byte == .hyphen || byte == UInt8(ascii: "_") || byte >= 0x80
        }
        return keys.mayInclude(String(decoding: name.reversed().map(\.lowercased), as: UTF8.self))
    }

    private func problems(after start: Int, in line: Range<Int>) -> [DocumentProblem] {
        var result: [DocumentProblem] = []
        var index = start
        while index < line.upperBound {
            let previous = bytes[index - 1]
            if bytes[index] == .hash, previous.isHTMLSpace { break }
            guard isURL(at: index), !isOfURL(previous) else {
                index += 1
                continue
            }
            let url = url(from: index, to: line.upperBound)
            if !containsTemplate(UnsafeBytes(rebasing: bytes[url])) {
                result.append(
                    DocumentProblem(
                        offset: index, url: bytes.string(url), reason: .metadataUnreadable))
            }
            index = url.upperBound
        }
        return result
    }

    private func isURL(at index: Int) -> Bool {
        if bytes.matches("https://", at: index) || bytes.matches("http://", at: index) {
            return true
        }
        return bytes.matches("//", at: index) && index + 2 < bytes.count
            && !bytes[index + 2].isHTMLSpace
    }

    private func isOfURL(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == .slash || byte == .colon || byte == .hyphen
    }

    /// The range from `start` to whitespace or a quotation mark, without trailing list delimiters.
    private func url(from start: Int, to end: Int) -> Range<Int> {
        var close = start
        while close < end, !bytes[close].isHTMLSpace, bytes[close] != .doubleQuote,
            bytes[close] != .singleQuote
        {
            close += 1
        }
        while close > start, [.comma, .closeBracket, .closeBrace].contains(bytes[close - 1]) {
            close -= 1
        }
        return start..<close
    }
}
