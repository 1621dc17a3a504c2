import ArgumentParser
import Baking
import Recipes
import Reports

struct VersionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the versions of the libraries, the formats and the sandbox.")

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() async throws {
        let installation = await Installation(worker: ProcessEnvironment.current.worker)
        if json { return Console.output.write(json: installation) }
        Console.output.write("imgbake \(installation.imgbake)\n" + installation.text)
    }
}

extension Installation {
    /// One paragraph for each kind of part.
    var text: String {
        let names = libraries.map { library in
            library.file
                ?? [library.name, library.version].compactMap(\.self).joined(separator: " ")
        }
        var rows = [("libraries", names)]
        if let formats { rows += [("reads", formats.reads), ("writes", formats.writes)] }
        if let sandbox {
            let inForce = sandbox.protections.map { protection in
                let version = protection == .landlock ? sandbox.landlockVersion : nil
                return protection.title + (version.map { " (version \($0))" } ?? "")
            }
            rows.append(("sandbox", inForce))
            let missing = sandbox.missing.map { "\($0.protection.title) (\($0.reason))" }
            if !missing.isEmpty { rows.append(("missing", missing)) }
        }
        if let error { rows.append(("sandbox", ["unknown: \(error)"])) }
        return rows.flatMap { title, items in
            // An item stays in one line.
            let items = items.map { printable($0).replacing(" ", with: "\u{A0}") }
            return wrapped(items.joined(separator: ", "), to: 67).enumerated().map { index, line in
                let title = index == 0 ? title : ""
                return title + String(repeating: " ", count: 11 - title.count)
                    + line.replacing("\u{A0}", with: " ") + "\n"
            }
        }.joined()
    }
}

extension SandboxReport.Protection {
    /// The protection as an item of a list.
    fileprivate var title: String {
        switch self {
        case .systemCalls: "seccomp"
        case .landlock: "Landlock"
        case .limits: "resource limits"
        case .capabilities: "no privileges"
        case .privateMemory: "private memory"
        }
    }
}
