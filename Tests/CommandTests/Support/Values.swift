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
    func fault(_ text: String) -> String {
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
        executable: executable)
}
