import Foundation

@testable import imgbake

/// Checks values of YAML against the part of JSON Schema that the settings use.
struct SchemaCheck {
    let definitions: [String: JSONValue]

    init(_ root: JSONValue) {
        guard case .object(let members) = root, case .object(let own)? = members["$defs"] else {
            definitions = [:]
            return
        }
        definitions = own
    }

    /// Whether an editor accepts the value.
    func accepts(_ node: ConfigurationNode, _ schema: JSONValue) -> Bool {
        guard case .object(let members) = schema else { return false }
        return members.allSatisfy { key, value in isMet(key, value, node, members) }
    }

    private func isMet(
        _ key: String, _ value: JSONValue, _ node: ConfigurationNode, _ all: [String: JSONValue]
    ) -> Bool {
        switch (key, value) {
        case ("description", _), ("default", _), ("title", _), ("$defs", _), ("$id", _),
            ("$schema", _):
            return true
        case ("$ref", .string(let name)):
            let target = name.split(separator: "/").last.flatMap { definitions[String($0)] }
            return target.map { accepts(node, $0) } ?? false
        case ("type", .string(let type)): return isOf(type, node)
        case ("type", .array(let types)):
            return types.contains {
                if case .string(let type) = $0 { isOf(type, node) } else { false }
            }
        case ("const", .string(let text)): return node.written == text
        case ("enum", .array(let words)): return words.contains(.string(node.written))
        case ("anyOf", .array(let schemas)): return schemas.contains { accepts(node, $0) }
        case ("minLength", .number(let count)): return node.written.count >= count
        case ("pattern", .string(let pattern)):
            guard let expression = try? Regex(pattern) else { return false }
            return node.written.firstMatch(of: expression) != nil
        case ("minimum", .number(let least)):
            return Double(node.written).map { $0 >= Double(least) } ?? false
        case ("maximum", .number(let most)):
            return Double(node.written).map { $0 <= Double(most) } ?? false
        case ("items", let item):
            guard case .list(let items) = node.content else { return true }
            return items.allSatisfy { accepts($0, item) }
        case ("required", .array(let names)):
            guard case .mapping(let entries) = node.content else { return true }
            return names.allSatisfy { name in entries.contains { .string($0.name) == name } }
        case ("properties", .object(let properties)):
            guard case .mapping(let entries) = node.content else { return true }
            return entries.allSatisfy { entry in
                properties[entry.name].map { accepts(entry.value, $0) } ?? true
            }
        case ("additionalProperties", .bool(false)):
            guard case .mapping(let entries) = node.content,
                case .object(let properties)? = all["properties"]
            else { return true }
            return entries.allSatisfy { properties[$0.name] != nil }
        case ("additionalProperties", let schema):
            guard case .mapping(let entries) = node.content else { return true }
            return entries.allSatisfy { accepts($0.value, schema) }
        default:
            // A keyword that this check does not know would be met by anything.
            return false
        }
    }

    private func isOf(_ type: String, _ node: ConfigurationNode) -> Bool {
        switch (type, node.content) {
        case ("object", .mapping), ("array", .list), ("null", .empty): true
        case ("string", .text(let text, let isPlain)):
            !isPlain || Double(text) == nil && Bool(text) == nil
        case ("integer", .text(let text, true)): Int(text) != nil
        case ("number", .text(let text, true)): Double(text) != nil
        case ("boolean", .text(let text, true)): Bool(text) != nil
        default: false
        }
    }
}
