import DocumentSyntax

/// A Markdown document with its shortcodes.
///
/// CommonMark reads a shortcode as text and may even find links in it. So shortcodes that name
/// images are read here, and the Markdown parser sees an `x` in place of each.
struct MarkdownSource {
    private let bytes: UnsafeBytes
    private let options: ExtractionOptions
    private let isMDX: Bool
    /// Whether the bytes are the document's own, and nothing in them is read but Markdown.
    private let isOriginal: Bool
    private let body: Int
    /// The shortcodes that name images, in the order of the text.
    private let shortcodes: [Shortcode]
    private let unread: [Shortcode]
    /// Tags that compute a value from the URL of an image.
    private let computing: [Shortcode]

    /// The tags of Liquid and Nunjucks that show nothing by themselves.
    private static let controlTags: Set<String> = [
        "assign", "capture", "case", "cycle", "echo", "elsif", "elif", "for", "if", "import",
        "liquid", "set", "tablerow", "unless", "when",
    ]

    /// Finds the shortcodes of a document.
    ///
    /// MDX must be converted by ``MDXText`` first.
    ///
    /// - Parameters:
    ///   - bytes: The document, or what another dialect is converted to.
    ///   - options: Additional attributes, keys and shortcodes that name images.
    ///   - isMDX: Whether the document is MDX.
    ///   - isOriginal: Whether the bytes are the document's own.
    init(_ bytes: UnsafeBytes, options: ExtractionOptions, isMDX: Bool, isOriginal: Bool = false) {
        self.bytes = bytes
        self.options = options
        self.isMDX = isMDX
        let mayHaveShortcodes = Documents.mayHaveShortcodes(bytes, isMDX: isMDX)
        self.isOriginal = isOriginal && !mayHaveShortcodes
        guard mayHaveShortcodes else {
            (body, shortcodes, unread, computing) = (0, [], [], [])
            return
        }
        body = FrontMatter(in: bytes)?.end ?? 0
        var scanner = ShortcodeScanner(bytes: bytes, body: body, isMDX: isMDX)
        let found = scanner.shortcodes()
        let candidates = found.filter { shortcode in
            shortcode.values(by: options.shortcodes).contains { Self.isURL($0, in: bytes) }
                || Self.imageURL(in: shortcode, bytes) != nil
        }
        let inText = ShortcodeFilter.confirmed(candidates.map(\.range), in: bytes, body: body)
        let confirmed = candidates.filter { inText.contains($0.range) }
        shortcodes = confirmed.filter { shortcode in
            shortcode.values(by: options.shortcodes).contains { Self.isURL($0, in: bytes) }
        }
        let others = confirmed.filter { $0.values(by: options.shortcodes).isEmpty }
        unread = others.filter { !Self.controlTags.contains($0.name) && !$0.isLink }
        computing = others.filter { Self.controlTags.contains($0.name) }
    }

    func findings() -> Findings {
        guard !shortcodes.isEmpty else {
            var findings = MarkdownExtractor(
                bytes, options: options, isMDX: isMDX, isOriginal: isOriginal
            ).findings()
            findings.problems += problems
            findings.unread += computed
            return findings
        }
        var findings = shortcodeFindings
        findings.problems = problems
        findings.unread = computed
        withoutShortcodes { findings.embed($0.findings()) { $0 } }
        return findings
    }

    func outline() -> Outline {
        guard !shortcodes.isEmpty else {
            return MarkdownExtractor(bytes, options: options, isMDX: isMDX).outline()
        }
        var outline = shortcodeFindings.outline
        withoutShortcodes { outline.append($0.outline()) }
        return outline
    }

    /// Reads the text with the shortcodes masked.
    private func withoutShortcodes(_ read: (MarkdownExtractor) -> Void) {
        let mask = ShortcodeMask(bytes: bytes, ranges: shortcodes.map(\.range))
        mask.sameLength().withUnsafeBufferPointer { masked in
            mask.text(from: body).withUnsafeBufferPointer { hashed in
                read(MarkdownExtractor(masked, options: options, isMDX: isMDX, hashed: hashed))
            }
        }
    }

    /// The references of the shortcodes, and one outline block for each shortcode.
    private var shortcodeFindings: Findings {
        var findings = Findings()
        var hasher = OutlineHasher()
        var line = 1
        var counted = 0
        for shortcode in shortcodes {
            line += bytes[counted..<shortcode.range.lowerBound].count { $0 == .lineFeed }
            counted = shortcode.range.lowerBound
            hasher.beginBlock(line: line)
            var hashed = shortcode.range.lowerBound
            for argument in shortcode.values(by: options.shortcodes) {
                guard Self.isURL(argument, in: bytes) else { continue }
                hasher.combine(bytes[hashed..<argument.value.lowerBound])
                hasher.combineSlot()
                hashed = argument.value.upperBound
                findings.addURL(
                    bytes.copy(argument.value), at: argument.value,
                    .shortcode(name: shortcode.name, attribute: argument.name),
                    Notation(percentEncoding: .strict), line: line)
            }
            hasher.combine(bytes[hashed..<shortcode.range.upperBound])
        }
        findings.outline.blocks = hasher.finish()
        return findings
    }

    /// One problem for all shortcodes that name images but have no rule.
    private var problems: [DocumentProblem] {
        guard let first = unread.first, let argument = Self.imageURL(in: first, bytes) else {
            return []
        }
        let rule = ShortcodeRule(name: first.name, attribute: argument.name)
        return [
            DocumentProblem(
                offset: argument.value.lowerBound, url: bytes.string(argument.value),
                reason: .shortcodes(count: unread.count, name: rule.text))
        ]
    }

    /// The URLs in tags that compute values of them.
    private var computed: [UnreadImage] {
        computing.compactMap { Self.imageURL(in: $0, bytes)?.value }.map {
            UnreadImage(.source, offset: $0.lowerBound, url: bytes.string($0) ?? "")
        }
    }

    /// Whether a value is a URL without escapes.
    ///
    /// A semicolon may end an entity. Not every language has entities, so such a value is rejected.
    private static func isURL(_ argument: Shortcode.Argument, in bytes: UnsafeBytes) -> Bool {
        let value = UnsafeBytes(rebasing: bytes[argument.value])
        return !value.isEmpty && !containsTemplate(value) && bytes.isUTF8(argument.value)
            && !value.contains { $0 <= 0x20 || $0 == .backslash || $0 == .semicolon }
    }

    /// The first argument that is the URL of an image on another host.
    private static func imageURL(in shortcode: Shortcode, _ bytes: UnsafeBytes) -> Shortcode
        .Argument?
    {
        shortcode.arguments.first { argument in
            let start = argument.value.lowerBound
            let isRemote =
                bytes.matches("https://", at: start) || bytes.matches("http://", at: start)
                || bytes.matches("//", at: start)
            return isRemote && isURL(argument, in: bytes)
                && hasImageExtension(UnsafeBytes(rebasing: bytes[argument.value]))
        }
    }
}

/// Whether a text may contain a shortcode, a tag, a directive, a block in another language or a
/// component.
func mayHaveShortcodes(_ bytes: UnsafeBytes, isMDX: Bool) -> Bool {
    for found in bytes.places(of: .openBrace) {
        let rest = UnsafeBytes(rebasing: bytes[found...])
        if bytes.matches("{{<", at: found) || bytes.matches("{{%", at: found)
            || bytes.matches("{%", at: found) || RawBlock.begins(with: rest)
        {
            return true
        }
        let before = found >= 3 ? bytes[found - 1] : 0
        if before == .backtick || before == .colon || before == UInt8(ascii: "~") { return true }
    }
    guard isMDX else { return false }
    return bytes.indices.contains { index in
        bytes[index] == .less && index + 1 < bytes.count && bytes[index + 1].isASCIILetter
            && bytes[index + 1].lowercased != bytes[index + 1]
    }
}
