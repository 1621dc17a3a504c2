import DocumentSyntax

/// Finds images that CommonMark does not read and other renderers show.
///
/// As Markdown.pl did, kramdown and Python-Markdown allow whitespace before the label of a
/// reference, spaces in a URL, and quotation marks in a title. Other renderers read a size or
/// attributes after the URL. Nothing here knows code, so cmark has to confirm what is found.
struct LooseImages {
    /// An image.
    struct Found {
        /// The offset after its last byte.
        var end: Int
        /// What makes it CommonMark.
        var edits: [(offset: Int, text: [UInt8])]
    }

    /// The byte that stands for a space in a URL.
    static let space: UInt8 = 0x1F

    private let bytes: UnsafeBytes
    private let body: Int
    /// Whether a size or attributes may follow a URL.
    private let readsSizes: Bool
    /// The labels of the definitions.
    private lazy var definitions: Set<String> = {
        let all = DestinationScanner(bytes: bytes, body: body).candidates { _ in true }
        return Set(
            all.compactMap { candidate in
                guard case .definition(let label) = candidate.kind else { return nil }
                let name = bytes.label(label)
                return name.hasPrefix("^") ? nil : name
            })
    }()

    static func found(in bytes: UnsafeBytes, body: Int, readsSizes: Bool = false) -> [Found] {
        guard bytes.containsExactly("![") else { return [] }
        var images = LooseImages(bytes: bytes, body: body, readsSizes: readsSizes)
        return images.all()
    }

    private mutating func all() -> [Found] {
        bytes.places(of: .exclamation, from: body).compactMap { mark in
            guard bytes.matches("![", at: mark), !bytes.isEscaped(mark, from: body),
                let close = endOfText(mark + 2)
            else { return nil }
            return bytes.matches("(", at: close + 1)
                ? inline(from: close + 2) : reference(mark + 2..<close)
        }
    }

    /// The bracket that ends the text of an image, if no blank line and no other image is before it.
    private func endOfText(_ start: Int) -> Int? {
        var (index, depth) = (start, 0)
        while index < bytes.count {
            switch bytes[index] {
            case .backslash: index += 1
            case .exclamation where bytes.matches("![", at: index): return nil
            case .openBracket: depth += 1
            case .closeBracket where depth == 0: return index
            case .closeBracket: depth -= 1
            case .lineFeed where isBlank(from: index + 1): return nil
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The image with this text, if whitespace precedes the label of its definition.
    private mutating func reference(_ text: Range<Int>) -> Found? {
        let start = text.upperBound + 1
        let gap = start..<afterWhitespace(start)
        guard !gap.isEmpty, let end = endOfLabel(gap.upperBound) else { return nil }
        let label = bytes.label(gap.upperBound + 1..<end)
        guard definitions.contains(label.isEmpty ? bytes.label(text) : label) else { return nil }
        // CommonMark also trims the whitespace in a label.
        return Found(end: end + 1, edits: [(gap.lowerBound, [.openBracket] + bytes[gap])])
    }

    /// The bracket that ends the label at `start`, if neither a destination nor a URL follows.
    private func endOfLabel(_ start: Int) -> Int? {
        guard start < bytes.count, bytes[start] == .openBracket else { return nil }
        let text = bytes[(start + 1)...].prefix(1000)
        guard let end = text.firstIndex(where: { $0 == .closeBracket || $0 == .openBracket }),
            bytes[end] == .closeBracket, !bytes.matches("(", at: end + 1),
            !bytes.matches(":", at: end + 1)
        else { return nil }
        return end
    }

    /// The first byte after whitespace and at most one line end with its container prefix.
    private func afterWhitespace(_ start: Int) -> Int {
        var index = start
        var isAfterLineEnd = false
        while index < bytes.count {
            switch bytes[index] {
            case .space, .tab: break
            case .greater where isAfterLineEnd: break
            case .carriageReturn where !isAfterLineEnd: break
            case .lineFeed where !isAfterLineEnd: isAfterLineEnd = true
            default: return index
            }
            index += 1
        }
        return index
    }

    private func isBlank(from start: Int) -> Bool {
        let rest = bytes[start...].drop { $0 == .space || $0 == .tab || $0 == .greater }
        return rest.first?.isLineEnd ?? true
    }
}

extension LooseImages {
    /// The length of the longest destination with its title that is read, in bytes.
    private static let longest = 1000

    /// The image whose destination begins at `start`, if CommonMark does not read it.
    private func inline(from start: Int) -> Found? {
        let text = bytes[start...].prefix(Self.longest)
        let lineEnd = text.firstIndex(where: \.isLineEnd) ?? text.endIndex
        let first = bytes[start..<lineEnd].drop { $0 == .space || $0 == .tab }.startIndex
        guard first < lineEnd, bytes[first] != .less else { return nil }
        var depth = 0
        var hasTitle = true
        var index = first
        while index < lineEnd {
            switch bytes[index] {
            case .backslash: index += 1
            case .openParenthesis: depth += 1
            case .closeParenthesis where depth == 0:
                return found(bytes.trimmingWhitespace(first..<index), index..<index, index)
            case .closeParenthesis: depth -= 1
            case .doubleQuote where hasTitle, .singleQuote where hasTitle:
                guard index > first, bytes[index - 1].isHTMLSpace else { break }
                if let (title, end) = title(at: index, in: lineEnd) {
                    return found(bytes.trimmingWhitespace(first..<index), title, end)
                }
                // A later quotation mark of the same kind begins none either.
                hasTitle = false
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The title whose quotation mark is at `quote`, and the parenthesis after it.
    private func title(at quote: Int, in lineEnd: Int) -> (title: Range<Int>, end: Int)? {
        var index = quote + 1
        while index < lineEnd {
            if bytes[index] == .backslash {
                index += 1
            } else if bytes[index] == bytes[quote] {
                let next = afterWhitespace(index + 1)
                if next < lineEnd, bytes[next] == .closeParenthesis {
                    return (quote + 1..<index, next)
                }
            }
            index += 1
        }
        return nil
    }

    private func found(_ url: Range<Int>, _ title: Range<Int>, _ end: Int) -> Found? {
        let text = UnsafeBytes(rebasing: bytes[url])
        let words = text.split { $0 == .space || $0 == .tab }
        guard let name = words.first, !containsTemplate(text) else { return nil }
        // A title in parentheses.
        if words.count > 1, words[1].first == .openParenthesis { return nil }
        let isExtended = words.dropFirst().contains { word in
            word.first == .equals || word.contains(.equals) && word.last == .doubleQuote
        }
        if isExtended {
            guard readsSizes else { return nil }
            let rest = url.dropFirst(name.count)
            let blank = Array(repeating: UInt8.space, count: rest.count)
            return Found(end: end + 1, edits: [(rest.lowerBound, blank)])
        }
        let quote = bytes[max(title.lowerBound - 1, body)]
        let other: UInt8 = quote == .doubleQuote ? .singleQuote : .doubleQuote
        let edits =
            url.filter { bytes[$0] == .space || bytes[$0] == .tab }.map { ($0, [Self.space]) }
            + title.filter { bytes[$0] == quote && bytes[$0 - 1] != .backslash }.map {
                ($0, [other])
            }
        return edits.isEmpty ? nil : Found(end: end + 1, edits: edits)
    }
}

extension UnsafeBytes {
    /// The normalised label: letter case and the kind and amount of whitespace do not matter.
    func label(_ range: Range<Int>) -> String {
        let words = self[range].split { $0.isMarkdownSpace }
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
            .lowercased()
    }
}
