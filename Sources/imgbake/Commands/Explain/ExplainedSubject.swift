import Baking
import Files
import Reports
import Sites

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
        guard isDocumentName(path), number != nil || !Self.isBaked(file) else {
            self = .image(.imageFile(file), site: site ?? ".")
            return
        }
        let target = BakeTarget(path, in: environment)
        let folder = site ?? target.folder
        guard let root = resolvedPath(environment.absolute(folder)), isPath(file, within: root)
        else { throw UsageError("\(path) is not in the site \(folder)") }
        let relative = String(file.dropFirst(root == "/" ? 1 : root.utf8.count + 1))
        self = .image(.document(relative, line: number), site: folder)
    }

    /// An SVG in an image folder is an image, and elsewhere a document.
    private static func isBaked(_ file: String) -> Bool {
        let slash = file.lastIndex(of: "/") ?? file.startIndex
        return FileStatus(file[..<slash] + "/.imgbake")?.kind == .file
    }
}
