import DocumentSyntax

/// The code and the comments that generators take out of Markdown before it is parsed: the content
/// of `highlight` in Hugo and Jekyll, and of comments in Liquid.
///
/// ```text
/// {{< highlight md >}} … {{< /highlight >}}      {% highlight md %} … {% endhighlight %}
/// {% comment %} … {% endcomment %}
/// ```
struct TemplateCode {
    private struct Kind {
        let open: StaticString
        let name: StaticString
        let end: StaticString
        let closingName: StaticString
    }

    private static let kinds = [
        Kind(open: "{{<", name: "highlight", end: ">}}", closingName: "/highlight"),
        Kind(open: "{{%", name: "highlight", end: "%}}", closingName: "/highlight"),
        Kind(open: "{%", name: "highlight", end: "%}", closingName: "endhighlight"),
        Kind(open: "{%", name: "comment", end: "%}", closingName: "endcomment"),
    ]

    private let bytes: UnsafeBytes
    /// The kinds that are not closed after some place, so that no search is made twice.
    private var unclosed: Set<Int> = []

    private init(_ bytes: UnsafeBytes) { self.bytes = bytes }

    /// The text at its original length, with `x` for each byte of code; nil if there is no code.
    static func masked(_ bytes: UnsafeBytes) -> [UInt8]? {
        // Most texts have no tags, and a search for their signs is much faster.
        guard bytes.containsExactly("{%") || bytes.containsExactly("{{<"),
            bytes.contains("endcomment") || bytes.contains("highlight")
        else { return nil }
        var code = TemplateCode(bytes)
        let ranges = code.ranges()
        return ranges.isEmpty ? nil : ShortcodeMask(bytes: bytes, ranges: ranges).sameLength()
    }

    private mutating func ranges() -> [Range<Int>] {
        var result: [Range<Int>] = []
        var index = FrontMatter(in: bytes)?.end ?? 0
        while let start = bytes.firstIndex(of: .openBrace, from: index) {
            let found = range(at: start)
            if let found, !isShown(found) { result.append(found) }
            index = found?.upperBound ?? start + 1
        }
        return result
    }

    /// A page about templates shows tags in `{% raw %}`, so they have no effect.
    private func isShown(_ range: Range<Int>) -> Bool {
        UnsafeBytes(rebasing: bytes[range]).contains("raw %}")
    }

    /// The content of the tag at `start`; nil if no code begins there.
    private mutating func range(at start: Int) -> Range<Int>? {
        for (index, kind) in Self.kinds.enumerated() where isTag(kind.name, of: kind, at: start) {
            guard !unclosed.contains(index) else { return nil }
            let range = bytes.firstIndex(of: kind.end, from: start).flatMap { end -> Range<Int>? in
                let content = end + kind.end.utf8CodeUnitCount
                return closingTag(of: kind, from: content).map { content..<$0 }
            }
            if range == nil { unclosed.insert(index) }
            return range
        }
        return nil
    }

    private func closingTag(of kind: Kind, from start: Int) -> Int? {
        bytes.places(of: .openBrace, from: start).first {
            isTag(kind.closingName, of: kind, at: $0)
        }
    }

    /// Whether a tag of this name begins at `start`, after blanks and a hyphen.
    private func isTag(_ name: StaticString, of kind: Kind, at start: Int) -> Bool {
        guard bytes.matches(kind.open, at: start) else { return false }
        let rest = bytes[(start + kind.open.utf8CodeUnitCount)...]
        let place = rest.firstIndex { !$0.isMarkdownSpace && $0 != .hyphen } ?? bytes.count
        guard bytes.matches(name, at: place) else { return false }
        let end = place + name.utf8CodeUnitCount
        return end == bytes.count || !bytes[end].isASCIIAlphanumeric
    }
}
