import Baking
import Reports
import Sites

/// The JSON Schema of one kind of JSON output: one row of the table for each.
///
/// `scripts/generate` writes them to `docs/schema/`. Tests validate the real outputs of the command
/// against these files, and check that each member of a schema occurs in an output.
struct OutputSchema: Sendable {
    /// The name of the file, without `.json`.
    let name: String
    /// The command that writes the output.
    let title: String
    let help: String
    private let alternatives: [[Member]]

    /// - Parameters:
    ///   - name: The name of the file, without `.json`.
    ///   - title: The command that writes the output.
    ///   - help: The number of objects, and when they are written.
    ///   - alternatives: The members of an object; several lists if there are several kinds.
    init(_ name: String, _ title: String, _ help: String, _ alternatives: [Member]...) {
        self.name = name
        self.title = title
        self.help = help
        self.alternatives = alternatives
    }

    /// All schemas, in the order of their names.
    static let all: [OutputSchema] = [
        bake, cacheClean, cacheFailures, cacheInfo, cacheList, check, config, dryRun, error,
        explain, fetch,
        lock, manifest, measure, prefetch, report, restore, version,
    ]

    /// The folder of the schemas of the latest version.
    private static let address =
        "https://raw.githubusercontent.com/imgbake/imgbake/main/docs/schema/"

    /// The schema as a document.
    var root: JSONValue {
        let version = Member(
            "version", ["const": 1],
            "Raised when a member is removed or changes its meaning; members may be added.")
        let objects = alternatives.map { JSONValue.record([version] + $0) }
        let head: JSONValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string("\(Self.address)\(name).json"),
            "title": .string(title),
            "description": .string(help),
        ]
        guard objects.count == 1, case .object(let members) = objects[0] else {
            return head.merging(["anyOf": .array(objects)])
        }
        return head.merging(members)
    }
}

/// A member of an object.
struct Member: Sendable {
    let name: String
    let schema: JSONValue
    let isRequired: Bool

    init(_ name: String, _ schema: JSONValue, _ help: String, isRequired: Bool = true) {
        self.name = name
        self.schema = schema.merging(["description": .string(help)])
        self.isRequired = isRequired
    }

    /// A member that is missing if it has no value.
    static func optional(_ name: String, _ schema: JSONValue, _ help: String) -> Member {
        Member(name, schema, help, isRequired: false)
    }
}

extension JSONValue {
    /// An object with these members and no others.
    static func record(_ members: [Member]) -> JSONValue {
        [
            "type": "object", "additionalProperties": false,
            "required": .array(members.filter(\.isRequired).map { .string($0.name) }),
            "properties": .object(
                Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema) })),
        ]
    }

    static func list(of items: JSONValue) -> JSONValue { ["type": "array", "items": items] }

    static func records(_ members: [Member]) -> JSONValue { list(of: record(members)) }

    static func words(_ words: [String]) -> JSONValue {
        ["enum": .array(words.map { .string($0) })]
    }

    static let text: JSONValue = ["type": "string"]
    static let flag: JSONValue = ["type": "boolean"]
    static let count: JSONValue = ["type": "integer", "minimum": 0]
    /// A line or a column.
    static let position: JSONValue = ["type": "integer", "minimum": 1]
    static let seconds: JSONValue = ["type": "number", "minimum": 0]
    static let digest: JSONValue = ["type": "string", "pattern": "^[0-9a-f]{64}$"]
    static let status: JSONValue = ["type": "integer", "minimum": 100, "maximum": 999]
}

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
