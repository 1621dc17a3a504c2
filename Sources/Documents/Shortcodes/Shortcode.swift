import DocumentSyntax

/// A shortcode, tag, directive or component in a Markdown text.
struct Shortcode {
    /// An argument of a shortcode.
    struct Argument {
        /// The name; nil for a positional argument.
        var name: String?
        /// The range of the value without quotation marks.
        var value: Range<Int>
    }

    /// The range of the shortcode; for a directive, the range of its value.
    var range: Range<Int>
    /// The name; for an include, the tag and the file name, such as `include figure.html`.
    var name: String
    var arguments: [Argument]

    /// Whether this is a directive that makes a link.
    var isLink: Bool { ["button-link", "button-ref"].contains(name) }

    /// The arguments that are image URLs according to the rules.
    func values(by rules: [ShortcodeRule]) -> [Argument] {
        let own = rules.filter { $0.name == name }
        if own.isEmpty { return [] }
        let firstUnnamed = arguments.firstIndex { $0.name == nil }
        return arguments.enumerated().filter { index, argument in
            own.contains { rule in
                rule.attribute == nil ? index == firstUnnamed : rule.attribute == argument.name
            }
        }.map(\.element)
    }
}

/// Finds Hugo shortcodes, Liquid and Nunjucks tags, MyST directives and, in MDX, components.
///
/// It also finds those in code and comments, which ``ShortcodeFilter`` removes.
struct ShortcodeScanner {
    let bytes: UnsafeBytes
    /// The offset at which the Markdown begins.
    let body: Int
    let isMDX: Bool

    /// The length of the longest shortcode that is read, in bytes.
    private static let longest = 8 << 10
    /// The most texts that begin like a shortcode or a component and have no end.
    private static let mostUnclosed = 50_000

    private var braces: ForwardSearch
    private var lesses: ForwardSearch
    private var greaters: ForwardSearch
    private var lineFeeds: ForwardSearch
    private var unclosedCount = 0

    init(bytes: UnsafeBytes, body: Int, isMDX: Bool) {
        self.bytes = bytes
        self.body = body
        self.isMDX = isMDX
        braces = ForwardSearch(.openBrace, in: bytes)
        lesses = ForwardSearch(.less, in: bytes)
        greaters = ForwardSearch(.greater, in: bytes)
        lineFeeds = ForwardSearch(.lineFeed, in: bytes)
    }

    mutating func shortcodes() -> [Shortcode] {
        var result: [Shortcode] = []
        var index = body
        while let found = next(from: index) {
            guard unclosedCount < Self.mostUnclosed else {
                ParserLimits.exceed(.time)
                return result
            }
            let shortcode =
                switch bytes[found] {
                case .less: component(at: found)
                case .openBrace where bytes.matches("{{", at: found): hugo(at: found)
                case .openBrace where bytes.matches("{%", at: found): liquid(at: found, &index)
                default: directive(at: found)
                }
            if let shortcode { result.append(shortcode) }
            index = max(shortcode?.range.upperBound ?? found + 1, index)
            if isDirective(at: found) {
                let options = options(ofDirectiveAt: found)
                result += options
                index = max(options.last?.range.upperBound ?? 0, index)
            }
        }
        return result
    }

    /// The offset at which the next shortcode may begin.
    private mutating func next(from start: Int) -> Int? {
        let brace = braces.first(from: start)
        guard isMDX else { return brace }
        var from = start
        while let found = lesses.first(from: from), found < brace ?? .max {
            let letter = found + 1 < bytes.count ? bytes[found + 1] : 0
            if letter.isASCIILetter, letter.lowercased != letter { return found }
            from = found + 1
        }
        return brace
    }

    /// Reads `{{< name … >}}` or `{{% name … %}}`.
    private mutating func hugo(at start: Int) -> Shortcode? {
        guard start + 3 < bytes.count else { return nil }
        let sign = bytes[start + 2]
        guard sign == .less || sign == UInt8(ascii: "%") else { return nil }
        let close: StaticString = sign == .less ? ">}}" : "%}}"
        var reader = ArgumentReader(
            bytes: bytes, index: start + 3, end: limit(start), close: close, quotes: "\"`")
        // A commented-out shortcode begins with `/*`, and a closing shortcode with `/`. Neither has
        // a name.
        guard let name = reader.takeName() else { return nil }
        guard let arguments = reader.takeArguments() else {
            unclosedCount += 1
            return nil
        }
        return Shortcode(range: start..<reader.index + 3, name: name, arguments: arguments)
    }

    /// Reads `{% name … %}`, and moves `index` past the content of a block that is not rendered.
    private mutating func liquid(at start: Int, _ index: inout Int) -> Shortcode? {
        let hasHyphen = start + 2 < bytes.count && bytes[start + 2] == .hyphen
        var reader = ArgumentReader(
            bytes: bytes, index: start + (hasHyphen ? 3 : 2), end: limit(start), close: "%}",
            quotes: "\"'")
        guard var name = reader.takeName() else { return nil }
        if ["raw", "comment", "verbatim"].contains(name) {
            index = end(of: name, from: reader.index)
            return nil
        }
        if ShortcodeRule.includes.contains(name) {
            guard let file = reader.takeValue() else { return nil }
            name = "include " + String(decoding: bytes[file], as: UTF8.self)
        }
        guard let arguments = reader.takeArguments() else {
            unclosedCount += 1
            return nil
        }
        return Shortcode(range: start..<reader.index + 2, name: name, arguments: arguments)
    }

    /// The offset after the name of the tag that ends the block `name`.
    private func end(of name: String, from start: Int) -> Int {
        for found in bytes.places(of: .openBrace, from: start) {
            guard bytes.matches("{%", at: found) else { continue }
            var reader = ArgumentReader(
                bytes: bytes, index: found + 2, end: limit(found), close: "%}", quotes: "")
            if reader.takeName() == "end" + name { return reader.index }
        }
        return bytes.count
    }

    private func isDirective(at start: Int) -> Bool {
        start >= body + 3 && [.backtick, .colon, UInt8(ascii: "~")].contains(bytes[start - 1])
            && bytes[start - 1] == bytes[start - 2] && bytes[start - 1] == bytes[start - 3]
    }

    /// The brace after the name of a directive.
    private func closeOfName(from start: Int) -> Int? {
        bytes[start...].prefix(64).firstIndex(of: .closeBrace)
    }

    /// The options of a directive that name images, each as a directive with a named argument.
    private mutating func options(ofDirectiveAt start: Int) -> [Shortcode] {
        guard let close = closeOfName(from: start), let end = lineFeeds.first(from: start),
            close < end
        else { return [] }
        let name = String(decoding: bytes[start + 1..<close], as: UTF8.self)
        return Self.imageOptions(in: bytes, from: end + 1).map {
            Shortcode(range: $0.value, name: name, arguments: [$0])
        }
    }

    /// The options that name images, in the lines `:name: value` from `start` on.
    static func imageOptions(in bytes: UnsafeBytes, from start: Int) -> [Shortcode.Argument] {
        let names = ["img-top", "img-bottom", "img-background", "poster"]
        var result: [Shortcode.Argument] = []
        var start = start
        while start < bytes.count {
            let end = bytes.firstIndex(of: .lineFeed, from: start) ?? bytes.count
            let line = bytes.trimmingWhitespace(start..<end)
            guard !line.isEmpty, bytes[line.lowerBound] == .colon,
                let colon = bytes[line].dropFirst().firstIndex(of: .colon)
            else { break }
            let name = String(decoding: bytes[line.lowerBound + 1..<colon], as: UTF8.self)
            let value = bytes.trimmingWhitespace(colon + 1..<line.upperBound)
            if names.contains(name), !value.isEmpty {
                result.append(.init(name: name, value: value))
            }
            start = end + 1
        }
        return result
    }

    /// Reads `{name} URL` after three or more backticks, tildes or colons.
    private func directive(at start: Int) -> Shortcode? {
        guard isDirective(at: start), let close = closeOfName(from: start) else { return nil }
        var first = close + 1
        while first < bytes.count, bytes[first] == .space { first += 1 }
        guard first > close + 1 else { return nil }
        var end = first
        while end < bytes.count, !bytes[end].isHTMLSpace { end += 1 }
        guard end > first else { return nil }
        return Shortcode(
            range: first..<end, name: String(decoding: bytes[start + 1..<close], as: UTF8.self),
            arguments: [.init(name: nil, value: first..<end)])
    }

    /// Reads `<Name … >`, a JSX component.
    private mutating func component(at start: Int) -> Shortcode? {
        guard let close = greaters.first(from: start), close < limit(start) else { return nil }
        var index = start + 1
        while index < close, !bytes[index].endsTagName { index += 1 }
        let name = String(decoding: bytes[start + 1..<index], as: UTF8.self)
        let part = UnsafeBytes(rebasing: bytes[..<limit(start)])
        var arguments: [Shortcode.Argument] = []
        while let attribute = HTMLTokenizer.attribute(in: part, from: &index) {
            guard attribute.quote != .none else { continue }
            arguments.append(
                .init(
                    name: String(decoding: bytes[attribute.name], as: UTF8.self),
                    value: attribute.value))
        }
        guard index < part.count, bytes[index] == .greater else {
            unclosedCount += 1
            return nil
        }
        return Shortcode(range: start..<index + 1, name: name, arguments: arguments)
    }

    private func limit(_ start: Int) -> Int { min(start + Self.longest, bytes.count) }
}

/// Reads the name and the arguments of a shortcode or a tag.
private struct ArgumentReader {
    let bytes: UnsafeBytes
    var index: Int
    let end: Int
    /// The closing delimiter.
    let close: StaticString
    /// The characters that quote a value.
    let quotes: String

    private mutating func skipWhitespace() {
        while index < end, bytes[index].isHTMLSpace || bytes[index] == .comma { index += 1 }
    }

    private var isAtEnd: Bool {
        bytes.matches(close, at: index)
            || bytes[index] == .hyphen && bytes.matches(close, at: index + 1)
            || bytes[index] == .slash && bytes.matches(close, at: index + 1)
    }

    mutating func takeName() -> String? {
        skipWhitespace()
        let start = index
        while index < end, isOfName(bytes[index]) { index += 1 }
        guard index > start else { return nil }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Reads a value; nil at the end of the shortcode, or if there is no value.
    mutating func takeValue() -> Range<Int>? {
        skipWhitespace()
        guard index < end, !isAtEnd else { return nil }
        let quote = bytes[index]
        if quotes.utf8.contains(quote) {
            let part = UnsafeBytes(rebasing: bytes[..<end])
            guard let last = part.firstIndex(of: quote, from: index + 1) else { return nil }
            defer { index = last + 1 }
            return index + 1..<last
        }
        // A brace begins another shortcode, so this one has no end.
        guard quote != .openBrace else { return nil }
        let start = index
        while index < end, !bytes[index].isHTMLSpace, bytes[index] != .comma, !isAtEnd {
            index += 1
        }
        return index > start ? start..<index : nil
    }

    /// Reads the arguments up to the closing delimiter and leaves `index` there; nil if there is
    /// none.
    mutating func takeArguments() -> [Shortcode.Argument]? {
        var arguments: [Shortcode.Argument] = []
        while true {
            skipWhitespace()
            guard index < end else { return nil }
            if isAtEnd {
                while !bytes.matches(close, at: index) { index += 1 }
                return arguments
            }
            let start = index
            let name = takeName()
            let isNamed = name != nil && index < end && isSeparator(bytes[index])
            if isNamed { index += 1 } else { index = start }
            guard let value = takeValue() else { return nil }
            arguments.append(.init(name: isNamed ? name : nil, value: value))
        }
    }

    /// Whether the byte separates a name from its value, as in `image: x` but not in `http://x`.
    private func isSeparator(_ byte: UInt8) -> Bool {
        byte == .equals || byte == .colon && index + 1 < end && bytes[index + 1] != .slash
    }

    private func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == .hyphen || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ".") || byte >= 0x80
    }
}
