import DocumentSyntax

/// Finds the references of a JSON Feed or a web app manifest.
func jsonFindings(_ bytes: UnsafeBytes, options: ExtractionOptions) -> Findings {
    guard let images = JSONImages(bytes) else { return dataFindings(bytes, .json, options) }
    var options = options
    options.readsData = false
    var builder = JSONBuilder(bytes: bytes, form: images.form)
    for entry in images.entries {
        switch entry.rule.content {
        case .url, .attachment: builder.add(entry)
        case .html: builder.add(html: entry.range, options)
        }
    }
    var findings = builder.finish()
    let read = images.entries.map(\.range).inOrder { $0.lowerBound < $1.lowerBound }
    let ends = zip([0] + read.map(\.upperBound), read.map(\.lowerBound) + [bytes.count])
    let found = ends.flatMap { bytes.imageURLs(in: $0..<$1) }
        .filter { !linkKeys.contains(bytes.jsonKey(ofValueAt: $0.lowerBound)) }
    findings.addUnread(found.map { UnreadImage(.data, $0, in: bytes) })
    return findings
}

/// The members of a JSON Feed and a manifest that are links, or texts for people.
private let linkKeys: Set<String> = [
    "content_text", "description", "external_url", "feed_url", "home_page_url", "id", "name",
    "next_url", "scope", "start_url", "summary", "title", "url",
]

extension UnsafeBytes {
    /// The key of the string that begins with the URL at `offset`; empty if it is longer than those of
    /// links.
    fileprivate func jsonKey(ofValueAt offset: Int) -> String {
        var index = offset - 1
        guard index > 0, self[index] == .doubleQuote else { return "" }
        index -= 1
        while index > 0, self[index] == .colon || self[index].isHTMLSpace { index -= 1 }
        guard index > 0, self[index] == .doubleQuote else { return "" }
        let key = self[Swift.max(0, index - 16)..<index]
        guard let quote = key.lastIndex(of: .doubleQuote) else { return "" }
        return String(decoding: self[(quote + 1)..<index], as: UTF8.self)
    }
}

/// Collects the findings of a JSON document in document order.
private struct JSONBuilder {
    let bytes: UnsafeBytes
    let form: Reference.Form
    var findings = Findings()
    var texts: [TextPart] = []

    consuming func finish() -> Findings {
        findings.outline.parts = .texts(texts)
        return findings
    }

    private mutating func addPart(
        _ range: Range<Int>, _ content: TextPart.Content, firstSlot: Int
    ) {
        texts.append(
            TextPart(range: range, place: .jsonString, content: content, firstSlot: firstSlot))
    }

    /// Adds a string that is a URL.
    mutating func add(_ entry: JSONImages.Entry) {
        let place = bytes.trimmingWhitespace(entry.range)
        guard let url = JSONScanner.decode(bytes, place), !url.isEmpty, !containsTemplate(url)
        else {
            return
        }
        let firstSlot = findings.outline.slots.count
        let isAdded = findings.addURL(
            url, at: place, .json(key: entry.key), Notation(percentEncoding: .strict)
        ) {
            $0.role = entry.rule.role
            $0.form = form
            $0.fixed = entry.rule.fixed
        }
        if isAdded {
            let needsExtension = entry.rule.content == .attachment
            addPart(place, .url(needsExtension: needsExtension), firstSlot: firstSlot)
        }
    }

    /// Adds the findings of a string that contains HTML.
    mutating func add(html range: Range<Int>, _ options: ExtractionOptions) {
        let source = UnsafeBytes(rebasing: bytes[range])
        guard let text = StringEscapes.json.placed(source, at: range.lowerBound),
            text.bytes.contains(.less)
        else { return }
        var part = text.bytes.withUnsafeBufferPointer {
            htmlFindings(of: $0, rules: HTMLRules(options: options))
        }
        if case .html(let parts, _, _)? = part.outline.parts {
            addPart(range, .html(parts), firstSlot: findings.outline.slots.count)
        }
        for index in part.located.indices {
            part.located[index].reference.form = form
            part.located[index].reference.role = .enclosure
            // An added size would need JSON escapes.
            part.located[index].editPoint.size = nil
        }
        findings.embed(part, escapedBy: .jsonString) { text.place(of: $0) }
    }
}
