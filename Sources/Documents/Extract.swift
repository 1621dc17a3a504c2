/// Finds every reference to an image in a document.
///
/// - Parameters:
///   - bytes: The document, in UTF-8 or another encoding that is a superset of ASCII. It may be
///     broken in any way.
///   - kind: The language it is in.
/// - Returns: The references, and what could not be located with certainty; that is no error.
package func extract(_ bytes: [UInt8], kind: DocumentKind) -> Extraction {
    let count = bytes.count
    if let reason = reasonToRefuse(bytes) {
        return Extraction(
            kind: kind, byteCount: count, refusals: [Refusal(offset: 0, reason: reason)])
    }
    guard mayNameImages(bytes, kind: kind) else { return Extraction(kind: kind, byteCount: count) }
    return bytes.withUnsafeBufferPointer { buffer in
        switch kind {
        case .markdown: MarkdownExtractor(buffer).extraction()
        case .html: extractHTML(buffer)
        case .css: extractCSS(buffer)
        }
    }
}

/// cmark counts bytes in an `Int32` and ends the process when a buffer passes half of that; the
/// tokens make a document up to four times as large.
private let largestDocument = 256 << 20

private func reasonToRefuse(_ bytes: [UInt8]) -> Refusal.Reason? {
    if bytes.count > largestDocument { return .tooLarge }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
        return .encoding("UTF-16")
    }
    // Without a mark, ASCII text in UTF-16 or UTF-32 has its NULs in every other place.
    let head = bytes.prefix(1024)
    let zeros = head.indices.filter { head[$0] == 0 }
    let odd = zeros.count { $0 % 2 == 1 }
    let isLopsided = abs(zeros.count - 2 * odd) * 4 >= head.count
    return zeros.count >= 8 && isLopsided ? .encoding("UTF-16") : nil
}
