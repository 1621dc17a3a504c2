internal import DevTools
import Foundation

/// A JSON Schema (2020-12), as far as the schemas of this project use it.
///
/// A keyword that is not known here is an error, so that no rule of a schema is skipped.
package struct JSONSchema: Sendable {
    /// A reason why a schema cannot be used.
    package enum SchemaError: Error { case unknownKeyword(String), malformed(String) }

    /// The result of a validation.
    package struct Result: Sendable {
        /// One line for each violation, with its place in the value.
        package var errors: [String] = []
        /// The members of the schema that occurred, as JSON Pointers (RFC 6901) into the schema.
        package var members: Set<String> = []
    }

    private let root: JSONValue
    /// All members that the schema describes, as JSON Pointers into the schema.
    package let members: Set<String>

    private static let annotations: Set = ["$schema", "$id", "title", "description", "default"]
    private static let rules: Set = [
        "$ref", "type", "const", "enum", "properties", "required", "additionalProperties", "items",
        "minItems", "maxItems", "minLength", "minimum", "exclusiveMinimum", "maximum", "pattern",
        "anyOf",
    ]

    /// Parses a schema.
    ///
    /// - Throws: ``SchemaError``.
    package init(_ text: String) throws {
        root = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        var members: Set<String> = []
        try Self.walk(root, at: "", into: &members)
        self.members = members
    }

    private static func walk(
        _ schema: JSONValue, at pointer: String, into members: inout Set<String>
    ) throws {
        guard case .object(let keywords) = schema else { throw SchemaError.malformed(pointer) }
        for (keyword, value) in keywords {
            switch (keyword, value) {
            case ("properties", .object(let properties)):
                for (name, part) in properties {
                    members.insert("\(pointer)/properties/\(name)")
                    try walk(part, at: "\(pointer)/properties/\(name)", into: &members)
                }
            case ("$defs", .object(let parts)):
                for (name, part) in parts {
                    try walk(part, at: "\(pointer)/$defs/\(name)", into: &members)
                }
            case ("additionalProperties", .object):
                try walk(value, at: pointer + "/additionalProperties", into: &members)
            case ("items", _): try walk(value, at: pointer + "/items", into: &members)
            case ("anyOf", .array(let parts)):
                for (index, part) in parts.enumerated() {
                    try walk(part, at: "\(pointer)/anyOf/\(index)", into: &members)
                }
            default:
                guard annotations.contains(keyword) || rules.contains(keyword) else {
                    throw SchemaError.unknownKeyword("\(pointer)/\(keyword)")
                }
            }
        }
    }

    /// Validates a JSON text.
    ///
    /// - Throws: An error of the decoder if it is not JSON.
    package func validate(_ text: String) throws -> Result {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        var result = Result()
        check(value, root, "", at: "$", &result)
        return result
    }

    private func check(
        _ value: JSONValue, _ schema: JSONValue, _ pointer: String, at place: String,
        _ result: inout Result
    ) {
        guard case .object(let keywords) = schema else { return }
        for (keyword, rule) in keywords where Self.rules.contains(keyword) {
            switch (keyword, rule, value) {
            case ("$ref", .string(let target), _):
                guard target.hasPrefix("#"), let part = root[target.dropFirst()] else {
                    result.errors.append("\(place): the schema has no \(target)")
                    continue
                }
                check(value, part, String(target.dropFirst()), at: place, &result)
            case ("anyOf", .array(let parts), _):
                checkAny(value, parts, pointer, at: place, &result)
            case ("properties", .object(let properties), .object(let members)):
                for (name, part) in properties {
                    guard let member = members[name] else { continue }
                    let inner = "\(pointer)/properties/\(name)"
                    result.members.insert(inner)
                    check(member, part, inner, at: "\(place).\(name)", &result)
                }
            case ("items", _, .array(let items)):
                for (index, item) in items.enumerated() {
                    check(item, rule, pointer + "/items", at: "\(place)[\(index)]", &result)
                }
            case ("additionalProperties", .bool(false), .object(let members)):
                for name in members.keys where keywords["properties"]?[name] == nil {
                    result.errors.append("\(place): the member '\(name)' is not described")
                }
            case ("additionalProperties", .object, .object(let members)):
                for (name, member) in members where keywords["properties"]?[name] == nil {
                    let inner = pointer + "/additionalProperties"
                    check(member, rule, inner, at: "\(place).\(name)", &result)
                }
            default:
                if !holds(keyword, rule, value) {
                    result.errors.append("\(place): \(value) violates \(keyword) \(rule)")
                }
            }
        }
    }

    private func checkAny(
        _ value: JSONValue, _ parts: [JSONValue], _ pointer: String, at place: String,
        _ result: inout Result
    ) {
        let results = parts.enumerated().map { index, part in
            var inner = Result()
            check(value, part, "\(pointer)/anyOf/\(index)", at: place, &inner)
            return inner
        }
        if let valid = results.first(where: \.errors.isEmpty) {
            result.members.formUnion(valid.members)
        } else {
            result.errors += results.flatMap(\.errors)
        }
    }

    /// Whether `value` follows a rule that has no parts.
    ///
    /// A rule for another type of values holds, as the specification says.
    private func holds(_ keyword: String, _ rule: JSONValue, _ value: JSONValue) -> Bool {
        switch (keyword, rule, value) {
        case ("type", .string(let name), _): value.isOfType(name)
        case ("const", _, _): value == rule
        case ("enum", .array(let values), _): values.contains(value)
        case ("required", .array(let names), .object(let members)):
            names.allSatisfy { name in members.keys.contains { .string($0) == name } }
        case ("minItems", .number(let count), .array(let items)): Double(items.count) >= count
        case ("maxItems", .number(let count), .array(let items)): Double(items.count) <= count
        case ("minLength", .number(let count), .string(let text)): Double(text.count) >= count
        case ("minimum", .number(let least), .number(let number)): number >= least
        case ("exclusiveMinimum", .number(let least), .number(let number)): number > least
        case ("maximum", .number(let most), .number(let number)): number <= most
        case ("pattern", .string(let pattern), .string(let text)):
            (try? Regex(pattern)).map { text.contains($0) } ?? false
        case ("additionalProperties", .bool(false), _), ("additionalProperties", .object, _): true
        case ("type", .array(let names), _):
            names.contains {
                if case .string(let name) = $0 { value.isOfType(name) } else { false }
            }
        case ("type", _, _), ("enum", _, _), ("additionalProperties", _, _): false
        default: true
        }
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The part at a JSON Pointer without escapes.
    fileprivate subscript(pointer: Substring) -> JSONValue? {
        pointer.split(separator: "/").reduce(self) { value, name in value?[String(name)] }
    }

    fileprivate func isOfType(_ name: String) -> Bool {
        switch (name, self) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool),
            ("number", .number), ("null", .null):
            true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }
}
