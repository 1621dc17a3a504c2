import Foundation

/// A published schema of a report, in `Tests/Schemas`, and a program that validates it.
package enum ReportSchema: String, CaseIterable, Sendable {
    /// SARIF 2.1.0, by OASIS.
    case sarif
    /// JUnit, as Jenkins reads it.
    case xml

    private static let xmllint = ExternalTool(name: "xmllint", executables: ["xmllint"])
    private static let jsonschema = ExternalTool(name: "jsonschema", executables: ["jsonschema"])

    /// Whether tests that validate must run.
    package static let isExpected = xmllint.isExpected && jsonschema.isExpected
    /// The reason why tests that validate are skipped.
    package static let absence = "\(xmllint.absence); \(jsonschema.absence)"

    private static let folder: String = {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return root.appending(path: "Schemas").path
    }()

    /// Validates a file.
    ///
    /// - Parameter path: The path of the report.
    /// - Returns: What violates the schema, in the words of the program; nil for nothing.
    /// - Throws: ``MissingTool``; the error of starting the program.
    package func violations(in path: String) async throws -> String? {
        let result =
            switch self {
            case .sarif:
                try await Command.run(
                    Self.jsonschema.required(),
                    ["-i", path, "\(Self.folder)/sarif-2.1.0.json"])
            case .xml:
                try await Command.run(
                    Self.xmllint.required(),
                    ["--noout", "--huge", "--schema", "\(Self.folder)/junit-10.xsd", path])
            }
        return result.exitCode == 0 ? nil : String((result.output + result.errors).prefix(4_000))
    }
}
