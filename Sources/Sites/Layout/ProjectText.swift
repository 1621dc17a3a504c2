import Files

/// Reads those texts of a project that decide how URLs are resolved: templates, and documents that
/// include others.
///
/// The number of files and their bytes are limited; ``isComplete`` tells whether all were read.
struct ProjectText {
    /// The absolute path of the project.
    let root: String
    /// Folders that are not read.
    var skipped: [String] = []
    /// Whether no limit was reached so far.
    private(set) var isComplete = true

    private var files = 0
    private var bytes = 0

    private static let mostFiles = 50_000
    private static let mostBytes = 512 << 20
    private static let largestFile = 4 << 20
    private static let deepestFolder = 32

    init(root: String, skipped: [String] = []) {
        self.root = root
        self.skipped = skipped
    }

    /// Calls `body` with each text below a folder whose name has one of these endings, in the order
    /// of their paths.
    ///
    /// Links and hidden files are left out, and a missing folder has no texts.
    mutating func forEach(
        below folder: String, endings: Set<String>, _ body: (_ path: String, [UInt8]) -> Void
    ) {
        var found: [String] = []
        list(folder, endings, depth: 0, &found)
        for path in found.sorted() {
            if let text = text(path) { body(path, text) }
        }
    }

    /// The bytes of a file; nil if it cannot be read.
    mutating func text(_ path: String) -> [UInt8]? {
        guard files < Self.mostFiles, bytes < Self.mostBytes else {
            isComplete = false
            return nil
        }
        guard let read = try? readFile(root + "/" + path, limit: Self.largestFile).bytes else {
            return nil
        }
        files += 1
        bytes += read.count
        return read
    }

    private mutating func list(
        _ folder: String, _ endings: Set<String>, depth: Int, _ found: inout [String]
    ) {
        guard depth < Self.deepestFolder, found.count < Self.mostFiles else {
            isComplete = false
            return
        }
        var folders: [String] = []
        try? forEachEntry(ofFolder: folder.isEmpty ? root : root + "/" + folder) { entry in
            guard entry.invalidName == nil, !entry.name.hasPrefix("."),
                entry.name != "node_modules"
            else { return }
            let path = joined(folder, entry.name)
            switch entry.kind ?? FileStatus(root + "/" + path)?.kind {
            case .folder where !skipped.contains(path): folders.append(path)
            case .file where endings.contains(fileEnding(entry.name)): found.append(path)
            default: break
            }
        }
        for folder in folders { list(folder, endings, depth: depth + 1, &found) }
    }
}

/// The part of a file name after its last dot, in lower case; empty if there is none.
func fileEnding(_ name: String) -> String {
    name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
}

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
        guard document.contains(sign) else { return [] }
        let lines = document.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { String(decoding: $0, as: UTF8.self) }
        switch self {
        case .snippets:
            var isInBlock = false
            return lines.flatMap { snippets(in: $0, &isInBlock) }
        case .directive:
            let form = #/[\s>`:~]*+(?:\{include\}|\.\. include::)\s*(\S+)/#
            return lines.compactMap { $0.prefixMatch(of: form).map { String($0.output.1) } }
        case .braces:
            let form = #/\{\{#(?:include|rustdoc_include|template)\s+([^\s}]+)/#
            return lines.flatMap { $0.matches(of: form).map { withoutSection($0.output.1) } }
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

    private func withoutSection(_ name: Substring) -> String {
        // A URL stays whole, and is no file of the project.
        name.contains("://") ? String(name) : String(name.prefix { $0 != ":" })
    }
}
