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
    var findings = Findings()
    if let reason = reasonToRefuse(bytes) {
        findings = Findings(refusing: reason)
    } else if mayNameImages(bytes, kind: kind, options: options) {
        findings = bytes.withUnsafeBufferPointer { buffer in
            switch kind {
            case .markdown:
                ShortcodeText(buffer, options: options, isMDX: false).findings()
            case .mdx:
                MDXText.asMarkdown(buffer).withUnsafeBufferPointer {
                    ShortcodeText($0, options: options, isMDX: true).findings()
                }
            case .html: htmlFindings(buffer, options: options)
            case .css: cssFindings(buffer)
            case .xml: xmlFindings(buffer, options: options)
            case .json: jsonFindings(buffer, options: options)
            }
        }
    }
    return Extraction(findings, kind: kind, options: options, byteCount: bytes.count)
}

/// The outline of a document, for comparison with the outline of another document.
func outline(of bytes: UnsafeBytes, kind: DocumentKind, options: ExtractionOptions) -> Outline {
    switch kind {
    case .markdown: ShortcodeText(bytes, options: options, isMDX: false).outline()
    case .mdx:
        MDXText.asMarkdown(bytes).withUnsafeBufferPointer {
            ShortcodeText($0, options: options, isMDX: true).outline()
        }
    case .html: htmlOutline(of: bytes, options: options)
    case .css: cssOutline(of: bytes)
    case .xml: xmlFindings(bytes, options: options).outline
    case .json: jsonFindings(bytes, options: options).outline
    }
}

/// The size of the largest document that is read, in bytes.
///
/// cmark counts bytes in an `Int32` and aborts the process if a buffer exceeds half of its range.
/// The inserted tokens can make a document four times as large.
private let largestDocument = 256 << 20

private func reasonToRefuse(_ bytes: [UInt8]) -> Refusal.Reason? {
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
    var next = head.firstIndex(of: 0, from: 0)
    while let index = next {
        zeros += 1
        odd += index % 2
        next = head.firstIndex(of: 0, from: index + 1)
    }
    return zeros >= 8 && abs(zeros - 2 * odd) * 4 >= head.count
}
