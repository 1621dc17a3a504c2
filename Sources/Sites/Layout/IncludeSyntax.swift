/// The ways in which a document includes another one.
enum IncludeSyntax {
    /// The snippets of PyMdown: `--8<-- "notes.md"`, or several names between two such marks.
    case snippets
    /// The directive of MyST and reStructuredText: ```` ```{include} notes.md ````.
    case directive
    /// mdBook: `{{#include notes.md:anchor}}`.
    case braces

    /// A sign that a document may include others.
    private var sign: String {
        switch self {
        case .snippets: "8<"
        case .directive: "include"
        case .braces: "{{#"
        }
    }

    /// The paths of included documents, as they are written, without the names of sections.
    func paths(in document: [UInt8]) -> [String] {
        guard document.firstRange(of: Array(sign.utf8)) != nil else { return [] }
        let lines = document.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        var isInBlock = false
        return lines.flatMap { line -> [String] in
            let text = String(decoding: line, as: UTF8.self)
            switch self {
            case .snippets: return snippets(in: text, &isInBlock)
            case .directive: return directive(in: text).map { [$0] } ?? []
            case .braces: return braces(in: text)
            }
        }
    }

    private func snippets(in line: String, _ isInBlock: inout Bool) -> [String] {
        let text = line.drop { $0.isWhitespace || $0 == ">" }
        let mark = text.prefix { "-8<".contains($0) }
        guard mark.contains("-8<-") else {
            let name = text.prefix { !$0.isWhitespace }
            return isInBlock && !name.isEmpty ? [withoutSection(name)] : []
        }
        let rest = text[mark.endIndex...].drop(while: \.isWhitespace)
        if rest.isEmpty { isInBlock.toggle() }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return [] }
        return [withoutSection(rest.dropFirst().prefix { $0 != quote })]
    }

    private func directive(in line: String) -> String? {
        let text = line.drop { $0.isWhitespace || $0 == ">" || $0 == "`" || $0 == ":" || $0 == "~" }
        for start in ["{include}", ".. include::"] where text.hasPrefix(start) {
            let name = text.dropFirst(start.count).drop(while: \.isWhitespace)
            return name.isEmpty ? nil : String(name.prefix { !$0.isWhitespace })
        }
        return nil
    }

    private func braces(in line: String) -> [String] {
        var result: [String] = []
        var rest = line[...]
        while let open = rest.firstRange(of: "{{#") {
            rest = rest[open.upperBound...]
            let words = rest.prefix { $0 != "}" }.split(whereSeparator: \.isWhitespace)
            if words.count > 1, ["include", "rustdoc_include", "template"].contains(words[0]) {
                result.append(withoutSection(words[1]))
            }
        }
        return result
    }

    private func withoutSection(_ name: Substring) -> String {
        // A URL stays whole, and is no file of the project.
        name.contains("://") ? String(name) : String(name.prefix { $0 != ":" })
    }
}
