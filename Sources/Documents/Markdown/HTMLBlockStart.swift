/// Recognises HTML blocks that can interrupt a paragraph (CommonMark, "HTML blocks").
enum HTMLBlockStart {
    /// Whether the `<` at `index`, the first character of its line, may begin an HTML block.
    static func interruptsParagraph(_ bytes: Bytes, at index: Int) -> Bool {
        var start = index + 1
        guard start < bytes.count else { return false }
        if bytes[start] == .exclamation || bytes[start] == .question { return true }
        if bytes[start] == .slash { start += 1 }
        var end = start
        while end < bytes.count, end - start <= 10, bytes[end].isASCIIAlphanumeric { end += 1 }
        guard end == bytes.count || bytes[end].endsTagName else { return false }
        return names.contains(String(decoding: bytes[start..<end].map(\.lowercased), as: UTF8.self))
    }

    private static let names = Set(
        ("script pre style textarea"
            + " address article aside base basefont blockquote body caption center col colgroup dd"
            + " details dialog dir div dl dt fieldset figcaption figure footer form frame frameset"
            + " h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav"
            + " noframes ol optgroup option p param search section source summary table tbody td"
            + " tfoot th thead title tr track ul").split(separator: " ").map(String.init))
}
