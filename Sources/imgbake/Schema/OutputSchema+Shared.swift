import Baking
import Reports
import Sites

/// Members that several outputs have, and those of messages.
extension OutputSchema {
    static let documents = Member("documents", .count, "The documents that were found.")
    static let url = Member("url", .text, "The URL.")
    static let imageURL = Member("url", .text, "The URL, or the path of an image of the site.")
    static let host = Member("host", .text, "The host, with its port if the URL has one.")
    static let fetched = Member("fetched", .count, "Downloaded completely.")
    static let reason = Member("reason", .text, "The event and its cause.")
    static let uploaded = Member(
        "uploaded", .count, "The objects that were uploaded to the store.")

    static let document = Member(
        "document", .text, "The path of the document, in the form in which it was given.")
    /// The place of a reference.
    static let exactPlace = [
        document, Member("line", .position, "Counted from 1."),
        Member("column", .position, "Counted from 1, in characters."),
    ]

    /// A place of a diagnostic; a list has no columns, and an unreadable document not even lines.
    static let place: JSONValue = .record([
        document, .optional("line", .position, "Counted from 1."),
        .optional("column", .position, "Counted from 1, in characters."), pageSource,
    ])

    static let pageSource = Member.optional(
        "source", .text, "The document that a generator made this page of, if it is known.")

    static let code = Member(
        "code", .words(DiagnosticCode.allCases.map(\.rawValue)),
        "The kind of problem: see 'imgbake explain CODE'.")

    static let diagnostics = Member(
        "diagnostics",
        .records([
            code,
            Member(
                "severity", .words(Diagnostic.Severity.allCases.map(\.rawValue)),
                "Errors change the exit code."),
            Member("places", .list(of: place), "The places that name the image."),
            .optional(
                "url", .text, "The URL or the path of the image, without credentials."),
            reason,
            Member("remedy", .text, "The action that solves the problem."),
        ]), "The messages, one for each image and cause.")

    static let layout = Member.optional(
        "layout",
        .record([
            Member(
                "generator", .words(Generator.Name.allCases.map(\.rawValue)),
                "The generator of the project."),
            .optional(
                "configuration", .text,
                "The configuration that was found, relative to the input folder."),
            Member("imageDirectory", .text, "The image folder, relative to the input folder."),
            .optional("publicPath", .text, "The URL of the image folder, if it is known."),
        ]), "The layout of a project that a generator builds; missing for any other folder.")
}
