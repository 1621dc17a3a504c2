import ArgumentParser
import Baking
import FetchCache
import Files
import Pictures
import Reports
import Sites

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain an image, or the code in brackets at the end of a message.",
        discussion: """
            For a URL, a document with or without a line, or a file of an image folder: where the \
            image is used, what is stored and how long it is fresh, what the lockfile says, which \
            files were made, why in this format, size and quality, and which widths, formats and \
            placeholder each element gets. Sends no requests and changes nothing.

            The options should be those of the bake.

            Exit codes: 0 success; 2 bad usage or configuration, or no such image.
            """)

    @Argument(
        help: ArgumentHelp(
            """
            A code, such as http-status; a URL; a document, as docs/a.md or docs/a.md:12; or an image \
            file. Lists all codes if omitted.
            """, valueName: "subject"),
        completion: .list(DiagnosticCode.allCases.map(\.rawValue)))
    var subject: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the site. (default: the current folder, or that of the document)",
            valueName: "folder"),
        completion: .directory)
    var site: String?

    @Flag(help: "Write one JSON object about the images.")
    var json = false

    @OptionGroup var lockfile: LockfileArgument
    @OptionGroup(title: "Site") var reading: SettingOptions<SiteGroup>
    @OptionGroup(title: "Images") var images: SettingOptions<ImageGroup>
    @OptionGroup(title: "Images") var sizes: SizesArguments
    @OptionGroup(title: "Fetching") var fetching: SettingOptions<FetchGroup>
    @OptionGroup(title: "Cache") var cache: SettingOptions<CacheGroup>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments

    func run() async throws {
        guard let subject else {
            for row in DiagnosticTable.rows { write(row) }
            return
        }
        let environment = ProcessEnvironment.current
        switch try ExplainedSubject(subject, site: site, in: environment) {
        case .code(let code): write(DiagnosticTable.row(code))
        case .image(let image, let site):
            let explained = try await explain(image, site, environment)
            if json { return Console.output.write(json: ["images": explained]) }
            Console.output.write(explained.map(\.text).joined(separator: "\n"))
        }
    }

    private func explain(
        _ subject: Explainer.Subject, _ site: String, _ environment: ProcessEnvironment
    ) async throws -> [ImageExplanation] {
        var settings = try Settings(
            configuration, reading, images, fetching, cache, site: site, isQuiet: true,
            in: environment,
            makesRequests: false)
        settings.output = nil
        let (name, path) = try configuration.path(
            of: lockfile.lock, usual: Lockfile.name, site: site, in: environment)
        let lock = try Lockfile.read(path, named: name)?.file
        var options = BakeOptions(settings, site: site, in: environment)
        try sizes.add(to: &options, configuration, site: site, in: environment)
        return try await Explainer(options, lockfile: lock).explain(subject)
    }

    private func write(_ row: DiagnosticTable.Row) {
        let lines = wrapped(row.meaning, to: 78) + wrapped("help: \(row.remedy)", to: 78)
        Console.output.write(
            "\(row.code.rawValue)\n" + lines.map { "  \($0)\n" }.joined())
    }
}

extension ImageExplanation {
    /// A title, and a line for each fact.
    fileprivate var text: String {
        var lines =
            uses.isEmpty ? ["used: by no document"] : uses.prefix(20).map { "used: \($0.text)" }
        if uses.count > 20 { lines.append("used: and \((uses.count - 20).grouped) more places") }
        lines += overrides.map { rule in
            let settings = rule.set.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return "override: \(settings.joined(separator: ", ")), by \(rule.origin) in "
                + listed(rule.documents, most: 1)
        }
        if let locked { lines.append("locked: \(locked.facts)") }
        if let failure { lines.append("failed: \(failure)") }
        if let stored {
            lines += [
                "stored: \(stored.bytes.asBytes), \(stored.mediaType), SHA-256 \(stored.sha256)",
                "answer: HTTP \(stored.status), \(Duration.seconds(stored.age).asAge) ago",
                stored.freshFor > 0
                    ? "fresh: for \(Duration.seconds(stored.freshFor).asAge), by \(stored.freshness)"
                    : "fresh: no, the server is asked in each bake (\(stored.freshness))",
            ]
            if let warning = stored.warning { lines.append("warning: \(warning)") }
        } else if url.contains("://") {
            lines.append("stored: no")
        }
        lines += names.prefix(20).map { "names: \($0)" }
        if names.count > 20 { lines.append("names: and \((names.count - 20).grouped) more files") }
        lines += elements.prefix(20).map { element in
            "element: \(element.document):\(element.line):\(element.column): "
                + element.decisions.joined(separator: "; ")
        }
        if elements.count > 20 {
            lines.append("element: and \((elements.count - 20).grouped) more")
        }
        for variant in variants {
            let use = variant.use == .image ? "" : "for the \(variant.use.rawValue): "
            lines.append("plan: " + use + variant.decisions.joined(separator: "; "))
            if let file = variant.file, let bytes = variant.bytes {
                let size = "\(variant.width ?? 0) × \(variant.height ?? 0)"
                lines.append("made: \(file), \(size), \(bytes.asBytes)")
            } else {
                lines.append("made: not yet")
            }
        }
        return printable(url) + "\n" + lines.map { "  " + printable($0) + "\n" }.joined()
    }
}

/// What `imgbake explain` is to explain, from its argument.
enum ExplainedSubject {
    case code(DiagnosticCode)
    case image(Explainer.Subject, site: String)

    /// - Parameters:
    ///   - argument: A code, a URL, a document with or without a line, or an image file.
    ///   - site: The folder of the site in the form in which the user gave it; nil for the current
    ///     folder, or that of a document.
    ///   - environment: The current folder.
    /// - Throws: ``UsageError`` if it is none of these.
    init(_ argument: String, site: String?, in environment: ProcessEnvironment) throws {
        if argument.contains("://") {
            self = .image(.url(argument), site: site ?? ".")
            return
        }
        let name = argument.lowercased().filter { $0 != "[" && $0 != "]" }
        if let code = DiagnosticCode(rawValue: name) {
            self = .code(code)
            return
        }
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        let number = parts.dropFirst().first.flatMap { Int($0) }
        let path = number == nil ? argument : String(parts[0])
        guard let file = resolvedPath(environment.absolute(path)),
            FileStatus(file)?.kind == .file
        else {
            let nearest = nearestName(to: name, in: DiagnosticCode.allCases.map(\.rawValue))
            let hint = nearest.map { "; did you mean '\($0)'?" } ?? "; 'imgbake explain' lists all"
            throw UsageError("there is no diagnostic and no file '\(argument)'\(hint)")
        }
        let parent = folderAndName(of: file).folder
        // An SVG in an image folder is an image, and elsewhere a document.
        guard isDocumentName(path), number != nil || !ImageFolder.isMarked(parent) else {
            self = .image(.imageFile(file), site: site ?? ".")
            return
        }
        let target = BakeTarget(path, in: environment)
        let folder = site ?? target.folder
        guard let root = resolvedPath(environment.absolute(folder)), isPath(file, within: root)
        else { throw UsageError("\(path) is not in the site \(folder)") }
        let prefix = root == "/" ? 1 : root.utf8.count + 1
        let relative = String(Substring(file.utf8.dropFirst(prefix)))
        self = .image(.document(relative, line: number), site: folder)
    }
}
