import DocumentSyntax

/// Finds every reference to an image in a document.
///
/// - Parameters:
///   - bytes: The document, in UTF-8 or another encoding that is a superset of ASCII. It may be
///     malformed in any way.
///   - kind: The language of the document.
///   - options: Additional attributes, keys and shortcodes that name images.
/// - Returns: The references, and the images that could not be located with certainty. The latter
///   are not an error.
package func extract(
    _ bytes: [UInt8], kind: DocumentKind, options: ExtractionOptions = ExtractionOptions()
) -> Extraction {
    var options = options
    if !kind.mayHaveData { options.readsData = false }
    var findings = Findings()
    if let reason = reasonToRefuse(bytes) {
        findings = Findings(refusing: reason)
    } else if mayNameImages(bytes, kind: kind, options: options) {
        let (found, excess) = ParserLimits.run(byteCount: bytes.count) {
            bytes.withUnsafeBufferPointer { Documents.findings(in: $0, kind, options) }
        }
        findings = excess.map { Findings(refusing: .tooComplex($0)) } ?? found
    }
    return Extraction(findings, kind: kind, options: options, byteCount: bytes.count)
}

private func findings(
    in bytes: UnsafeBytes, _ kind: DocumentKind, _ options: ExtractionOptions
) -> Findings {
    switch kind {
    case .markdown: markdownFindings(bytes, options)
    case .mdx:
        mdxFindings(bytes, options)
    case .html: htmlFindings(bytes, options: options)
    case .css: cssFindings(bytes, options: options)
    case .xml: xmlFindings(bytes, options: options)
    case .json: jsonFindings(bytes, options: options)
    case .script: dataFindings(bytes, .script, options)
    case .text: dataFindings(bytes, .rows, options)
    }
}

private func mdxFindings(_ bytes: UnsafeBytes, _ options: ExtractionOptions) -> Findings {
    let text = MDXText(bytes)
    var findings = text.result.withUnsafeBufferPointer {
        MarkdownSource($0, options: options, isMDX: true).findings()
    }
    findings.unread += text.unread(besides: findings.located.map(\.reference.range))
    return findings
}

private func markdownFindings(_ bytes: UnsafeBytes, _ options: ExtractionOptions) -> Findings {
    let prepared = preparedMarkdown(bytes)
    return withText(prepared, or: bytes) { bytes in
        let converted = DialectText.converted(bytes, from: options.dialect ?? [])
        var findings = markdown(converted, of: bytes, options, isOriginal: prepared == nil) {
            $0.findings()
        }
        addImagesOfOtherDialects(than: converted, in: bytes, options, to: &findings)
        return findings
    }
}

/// A document as all dialects read it: without code that generators take out, and with HTML in place
/// of what Vue binds; nil if nothing changes.
private func preparedMarkdown(_ bytes: UnsafeBytes) -> [UInt8]? {
    let masked = TemplateCode.masked(bytes)
    return withText(masked, or: bytes, BoundAttributes.asHTML) ?? masked
}

/// Adds the images that only other renderers read: they are named and left alone.
private func addImagesOfOtherDialects(
    than converted: DialectText.Converted?, in bytes: UnsafeBytes, _ options: ExtractionOptions,
    to findings: inout Findings
) {
    let all: [(features: MarkdownDialect, reason: DocumentProblem.Reason)] = [
        ([.admonitions, .details, .tabs], .markdownInAdmonition),
        (.markdownInHTML, .markdownInHTML), ([.loose, .sizes], .notCommonMark),
    ]
    var (options, last) = (options, converted)
    // Whether a known dialect has admonitions is known too.
    for (features, reason) in options.dialect == nil ? all[...] : all.dropFirst() {
        let dialect = (options.dialect ?? []).union(features)
        options.dialect = dialect
        let other = DialectText.converted(bytes, from: dialect)
        if other == last || ParserLimits.areExceeded { continue }
        last = other
        findings.addProblems(
            besidesThoseIn: markdown(other, of: bytes, options) { $0.findings() }, reason)
    }
}

/// Reads a converted document, or the original if it needs no conversion.
private func markdown<Result>(
    _ converted: DialectText.Converted?, of bytes: UnsafeBytes, _ options: ExtractionOptions,
    isOriginal: Bool = false, _ read: (MarkdownSource) -> Result
) -> Result {
    var options = options
    if converted?.hasUncertainHTML == true { options.dialect?.insert(.uncertainHTML) }
    return withText(converted?.text, or: bytes) {
        read(
            MarkdownSource(
                $0, options: options, isMDX: false, isOriginal: isOriginal && converted == nil))
    }
}

private func withText<Result>(
    _ text: [UInt8]?, or original: UnsafeBytes, _ body: (UnsafeBytes) -> Result
) -> Result {
    guard let text else { return body(original) }
    return text.withUnsafeBufferPointer(body)
}

/// The outline of a Markdown document, for comparison with the outline of another document.
///
/// If the document exceeds a limit of the parsers, the outline lacks the part that does.
func outline(of bytes: [UInt8], kind: DocumentKind, options: ExtractionOptions) -> Outline {
    ParserLimits.run(byteCount: bytes.count) {
        bytes.withUnsafeBufferPointer { outline(of: $0, kind, options) }
    }.result
}

private func outline(
    of bytes: UnsafeBytes, _ kind: DocumentKind, _ options: ExtractionOptions
) -> Outline {
    switch kind {
    case .markdown:
        withText(preparedMarkdown(bytes), or: bytes) { bytes in
            let converted = DialectText.converted(bytes, from: options.dialect ?? [])
            return markdown(converted, of: bytes, options) { $0.outline() }
        }
    case .mdx:
        MDXText(bytes).result.withUnsafeBufferPointer {
            MarkdownSource($0, options: options, isMDX: true).outline()
        }
    // Their parts are compared.
    case .html, .css, .xml, .json, .script, .text: Outline()
    }
}

/// The size of the largest document that is parsed, in bytes.
///
/// A sitemap may have 50 MB. Parsing one long line takes about five times its size.
package let largestDocument = 64 << 20

private func reasonToRefuse(_ bytes: [UInt8]) -> DocumentProblem.Reason? {
    if bytes.count > largestDocument { return .tooLarge }
    return bytes.withUnsafeBufferPointer(isUTF16) ? .encoding("UTF-16") : nil
}

/// Whether a document is in UTF-16 or UTF-32.
func isUTF16(_ bytes: UnsafeBytes) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    // Without a byte order mark, every other byte of ASCII text is NUL.
    let head = UnsafeBytes(rebasing: bytes.prefix(1024))
    var zeros = 0
    var odd = 0
    for index in head.places(of: 0) {
        zeros += 1
        odd += index % 2
    }
    return zeros >= 8 && abs(zeros - 2 * odd) * 4 >= head.count
}

/// The references of a document, and the images that could not be read.
///
/// It also holds the document's outline, so that ``rewrite(_:extraction:replacements:dropping:)``
/// can verify that the rewritten document has the same one.
package struct Extraction: Sendable {
    package let kind: DocumentKind
    /// All references, whatever their URLs, in the order of the document; no two of them overlap.
    package var references: References { References(located) }
    /// The URLs of other files than images, in the order of the document, if
    /// ``ExtractionOptions/readsRequests`` is true.
    package var requests: References { References(locatedRequests) }
    /// The images that were found but cannot be rewritten, in the order of the document.
    package let problems: [DocumentProblem]
    /// URLs that most likely name images but are in places that are not read, in the order of the
    /// document, each once for each kind of place.
    ///
    /// They are neither references nor problems.
    package let unread: [UnreadImage]
    /// The `href` of an HTML document's first `<base>` that has one.
    package var baseHref: String? { page.base?.href }
    /// The offset of the element with ``baseHref``.
    package var baseOffset: Int? { page.base?.offset }
    /// The style sheets of the page, if ``ExtractionOptions/describesImages`` is true.
    package var styles: PageStyles? { page.styles }
    /// The pictures of the author, if ``ExtractionOptions/describesImages`` is true.
    package var pictures: [AuthorPicture] { page.pictures }
    /// The end tag of the page's head, if it is written and ``ExtractionOptions/describesImages`` is
    /// true.
    package var headEnd: HeadEnd? { page.headEnd }

    /// The settings that the document gives for individual images.
    package var controls: [ImageControl] { locatedControls.map(\.control) }

    let options: ExtractionOptions
    /// The size of the document in bytes.
    let byteCount: Int
    let outline: Outline
    private let page: PageFacts
    /// The references, each with how to edit the document there.
    let located: [LocatedReference]
    let locatedRequests: [LocatedReference]
    let locatedControls: [LocatedControl]

    init(
        _ findings: Findings, kind: DocumentKind, options: ExtractionOptions, byteCount: Int
    ) {
        var problems = findings.problems
        let all = LocatedReference.merged(findings.located, problems: &problems)
        func isReference(_ one: LocatedReference) -> Bool {
            one.reference.role.isOfImage || options.bakedRoles.contains(one.reference.role)
        }
        located = options.readsRequests ? all.filter(isReference) : all
        locatedRequests = options.readsRequests ? all.filter { !isReference($0) } : []
        self.kind = kind
        self.options = options
        self.byteCount = byteCount
        self.problems = problems.sorted { $0.offset < $1.offset }
        unread = findings.unread.ofEachPlace
        outline = findings.outline
        locatedControls = findings.controls
        page = findings.page
    }
}

extension Extraction {
    /// The document with further attributes on `<img>` elements.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - attribute: Returns the attribute for an element that ``ImageElement`` describes, such as
    ///     `data-number=1`, without quotation marks; nil for none.
    /// - Returns: The document.
    package func adding(
        to bytes: [UInt8], attribute: (ImageElement) -> String?
    ) -> [UInt8] {
        let splices = located.compactMap { one -> Splice? in
            guard let image = one.reference.image, let offset = one.editPoint.size?.offset,
                let text = attribute(image)
            else { return nil }
            // The space after it ends its value.
            return Splice(range: offset..<offset, text: " \(text) ")
        }
        return apply(splices, to: bytes) ?? bytes
    }
}

/// The references of a document, in its order.
///
/// It shares the memory of the extraction that it belongs to.
package struct References: RandomAccessCollection, Sendable {
    private let located: [LocatedReference]

    init(_ located: [LocatedReference]) { self.located = located }

    package var startIndex: Int { 0 }
    package var endIndex: Int { located.count }
    package subscript(index: Int) -> Reference { located[index].reference }
}

/// The language in which a document is written.
package enum DocumentKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Markdown, R Markdown and Quarto, with or without front matter.
    case markdown
    /// Markdown with JSX.
    case mdx
    case html, css
    /// XHTML, SVG, an RSS or Atom feed, or a sitemap; any other XML names no image.
    case xml
    /// A JSON Feed or a web app manifest. Any other JSON names no image, unless
    /// ``ExtractionOptions/readsData`` is true.
    case json
    /// A program in JavaScript, and a text with the rows of React's flight data. They name no image
    /// unless ``ExtractionOptions/readsData`` is true.
    case script, text

    /// The document kind for a file name extension; nil if such files are not documents.
    ///
    /// - Parameters:
    ///   - fileExtension: The extension without its dot, in upper or lower case.
    ///   - readsData: Whether scripts and texts with data are documents.
    package init?(fileExtension: String, readsData: Bool = false) {
        switch fileExtension.lowercased() {
        case "md", "markdown", "mdown", "qmd", "rmd": self = .markdown
        case "mdx": self = .mdx
        case "html", "htm": self = .html
        case "css": self = .css
        case "xml", "rss", "atom", "xhtml", "svg": self = .xml
        case "json", "webmanifest": self = .json
        case "js" where readsData, "mjs" where readsData, "cjs" where readsData: self = .script
        case "txt" where readsData: self = .text
        default: return nil
        }
    }

    /// Whether visitors of a built site load such documents, and not what a generator makes of them.
    package var isPublished: Bool { self != .markdown && self != .mdx }

    /// Whether such documents may have scripts or data that are read.
    var mayHaveData: Bool { self == .html || self == .json || self == .script || self == .text }
}
