import Foundation

@testable import imgbake

/// A value of a configuration file, as the text of YAML.
func yaml(
    _ text: String, environment: [String: String] = [:]
) throws -> ConfigurationNode {
    let source = ConfigurationSource(
        origin: .file("imgbake.yml"), folder: "/site", environment: { environment[$0] })
    return try parseYAML(text, source: source)
}

/// A value of an option.
func option(_ text: String, named name: String = "--x") -> ConfigurationNode {
    ConfigurationNode(
        text, ConfigurationSource(origin: .option(name), folder: "/now", environment: { _ in nil }))
}

extension SettingType {
    /// The value of a text in YAML; nil if it is not accepted.
    func value(_ text: String) -> Value? { try? read(yaml(text)) }

    /// The message about a text in YAML, with its place; empty if it is accepted.
    func error(_ text: String) -> String {
        do {
            _ = try read(yaml(text))
            return ""
        } catch {
            return "\(error)"
        }
    }
}

/// An environment with these variables.
func environment(
    _ variables: [String: String] = [:], in folder: String = "/now", executable: String = "/bin/x"
) -> ProcessEnvironment {
    ProcessEnvironment(
        workingDirectory: folder, variable: { variables[$0].flatMap { $0.isEmpty ? nil : $0 } },
        variableNames: Array(variables.keys), executable: executable)
}

extension ConfigurationNode {
    /// The value in JSON, with the types of YAML's core schema (YAML 1.2.2, section 10.3.2).
    func json() throws -> String {
        switch content {
        case .empty: "null"
        case .list(let items): "[\(try items.map { try $0.json() }.joined(separator: ","))]"
        case .mapping(let entries):
            "{\(try entries.map { try "\(quoted($0.name)):\($0.value.json())" }.joined(separator: ","))}"
        case .text(let text, isPlain: true) where Double(text) != nil || Bool(text) != nil: text
        case .text(let text, _): try quoted(text)
        }
    }

    private func quoted(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }
}
