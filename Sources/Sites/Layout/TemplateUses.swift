/// How templates in Liquid, Jinja or Nunjucks print values, by the last part of the values' names.
///
/// `{{ page.cover | relative_url }}` prints `cover` through a filter. Two values with the same last
/// part count as one.
struct TemplateUses {
    private(set) var facts: [String: SiteLayout.Facts] = [:]

    /// Filters that add the base path to a path.
    private static let baseFilters: Set<String> = ["relative_url", "absolute_url", "url"]
    /// Filters that keep a URL as it is.
    private static let plainFilters: Set<String> = [
        "default", "e", "escape", "escape_once", "first", "last", "safe", "strip", "uri_escape",
        "xml_escape",
    ]
    /// Tags that print nothing.
    private static let conditions: Set<String> = [
        "if", "unless", "elsif", "elif", "else", "endif", "case", "when", "comment",
    ]

    /// Adds the values of a template.
    ///
    /// - Parameters:
    ///   - template: The text of the template.
    ///   - prefix: The first part of the names that count, such as `include`; nil for all.
    mutating func add(_ template: [UInt8], prefix: String? = nil) {
        var index = 0
        var before: (end: Int, expression: Substring)?
        while let open = template[index...].firstIndex(of: UInt8(ascii: "{")) {
            index = open + 1
            guard index < template.count else { return }
            let isTag = template[index] == UInt8(ascii: "%")
            guard isTag || template[index] == UInt8(ascii: "{") else { continue }
            let close = isTag ? UInt8(ascii: "%") : UInt8(ascii: "}")
            let end = template.indices.dropLast().dropFirst(index + 1).first {
                template[$0] == close && template[$0 + 1] == UInt8(ascii: "}")
            }
            guard let end else { return }
            let text = String(decoding: template[(index + 1)..<end], as: UTF8.self)
            if isTag {
                add(tag: text, prefix)
            } else {
                let isAdjacent = before?.end == open
                let printed: SiteLayout.Facts =
                    Self.isInMeta(open, of: template) ? .printedInMeta : .printed
                add(output: text, after: isAdjacent ? before?.expression : nil, printed, prefix)
                before = (end + 2, text[...])
            }
            index = end + 2
        }
    }

    /// Whether a place of a template is in a `<meta>` that names an image.
    static func isInMeta(_ place: Int, of template: [UInt8]) -> Bool {
        let most = 1_000
        guard let start = template[..<place].suffix(most).lastIndex(of: UInt8(ascii: "<"))
        else { return false }
        let rest = template[place...].prefix(most).prefix { $0 != UInt8(ascii: ">") }
        let tag = String(decoding: template[start..<rest.endIndex], as: UTF8.self)
        return tag.hasPrefix("<meta") && tag.contains("image")
    }

    private mutating func add(tag: String, _ prefix: String?) {
        let word = tag.drop { $0 == "-" || $0.isWhitespace }.prefix { $0.isLetter || $0 == "_" }
        if Self.conditions.contains(String(word)) { return }
        for name in names(in: tag) { add(name, .unknown, prefix) }
    }

    private mutating func add(
        output: String, after before: Substring?, _ printed: SiteLayout.Facts, _ prefix: String?
    ) {
        let filters = output.matches(of: #/\|\s*([\w\-]*)([^|]*)/#).map {
            (name: String($0.output.1), text: $0.output.2)
        }
        let fact: SiteLayout.Facts =
            if filters.contains(where: { Self.baseFilters.contains($0.name) }) {
                .filtered
            } else if filters.contains(where: {
                $0.name == "prepend" && $0.text.contains("baseurl")
            })
                || before?.contains("baseurl") == true
            {
                .prefixed
            } else if before?.contains(".url") == true
                || filters.contains(where: { !Self.plainFilters.contains($0.name) })
            {
                .unknown
            } else {
                printed
            }
        for name in names(in: output) { add(name, fact, prefix) }
    }

    private mutating func add(
        _ name: [Substring], _ fact: SiteLayout.Facts, _ prefix: String?
    ) {
        guard let last = name.last, prefix == nil || name.count > 1 && name[0] == prefix ?? ""
        else { return }
        facts[String(last), default: []].insert(fact)
    }

    /// The names of values, each in its parts; in `page["cover"]`, the text is a part of the name.
    private func names(in expression: String) -> [[Substring]] {
        let form = #/(\[)?(["'])(.*?)\2|([\w\-][\w\-.]*)/#
        return expression.matches(of: form).compactMap { found in
            let (_, bracket, _, text, name) = found.output
            if let name { return name.split(separator: ".") }
            return bracket == nil ? nil : text.map { [$0] }
        }
    }
}
