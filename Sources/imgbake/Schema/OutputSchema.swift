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
