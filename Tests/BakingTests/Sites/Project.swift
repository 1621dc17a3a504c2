import Documents
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Sites

/// A project of some files, and the layout that is found for it.
struct Project {
    let folder: TemporaryDirectory

    init(_ files: [String: String]) throws {
        folder = try TemporaryDirectory()
        for (path, text) in files { try folder.write(text, to: path) }
    }

    /// The options for baking a folder of the project.
    func reading(
        _ part: String = "", isCopy: Bool = false,
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> ReadingOptions {
        var options = ReadingOptions()
        change(&options)
        let root = part.isEmpty ? folder.path : folder.path(part)
        return try options.resolved(in: root, displayName: "site", isCopy: isCopy)
    }

    /// The URL of the image `x.webp` at a reference of a document.
    func url(
        in document: String, _ kind: Reference.Kind = .markdownImage,
        form: Reference.Form = .relative, of part: String = "",
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> String? {
        let plan = try plan(document, of: part, "![](http://h/a.png)", change)
        let place = Reference(range: 0..<1, kind: kind, url: "http://h/a.png", form: form)
        return plan.writer.url(of: "x.webp", at: place)
    }

    func plan(
        _ document: String, of part: String = "", _ text: String,
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> DocumentPlan {
        let dot = try #require(document.lastIndex(of: "."))
        let kind = try #require(
            DocumentKind(fileExtension: String(document[document.index(after: dot)...])))
        let site = Site(
            root: part.isEmpty ? folder.path : folder.path(part), displayRoot: ".",
            isInPlace: true, reading: try reading(part, change))
        return DocumentPlan(Array(text.utf8), kind: kind, path: document, site: site)
    }
}

let rawHTML = Reference.Kind.htmlAttribute(element: "img", attribute: "src")
let frontMatter = Reference.Kind.frontMatter(key: "image")
