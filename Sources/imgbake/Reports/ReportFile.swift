import ArgumentParser
import Baking
import Files
import Records
import Reports
import Sites

/// A file of `--report`, in the format that its name ends with.
struct ReportFile: Sendable {
    enum Format: String, CaseIterable, Sendable {
        case html, sarif, xml, json, md
    }

    /// Each report contains this text, by which a later run knows that it may replace the file.
    static let mark = "imgbake report"

    let format: Format
    /// In the form in which the user gave it.
    let name: String
    /// Absolute.
    let path: String

    /// - Throws: ``UsageError`` if the name does not end with a known format.
    init(_ name: String, in environment: ProcessEnvironment) throws {
        let end = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
        guard let format = end.flatMap(Format.init(rawValue:)) else {
            let formats = Format.allCases.map { "." + $0.rawValue }.joined(separator: ", ")
            throw UsageError("the name of the report '\(name)' must end with one of \(formats)")
        }
        self.format = format
        self.name = name
        path = environment.absolute(name)
    }

    /// Checks that no other file would be replaced, and that the report would not be part of the
    /// site.
    ///
    /// - Parameter site: The absolute path of the input folder.
    /// - Throws: ``UsageError``.
    func check(outside site: String) throws {
        let (parent, last) = folderAndName(of: path)
        let folder = Self.resolved(parent)
        if let root = resolvedPath(site), isPath(folder, within: root) {
            let parts = pathParts(folder + "/" + last).dropFirst(pathParts(root).count)
            guard parts.contains(where: { $0.hasPrefix(".") }) else {
                throw UsageError(
                    "the report '\(name)' would be a file of the site; write it elsewhere, or to a "
                        + "hidden folder such as .imgbake-reports/")
            }
        }
        guard let status = FileStatus(path, followingLinks: true), status.kind == .file,
            status.byteCount > 0
        else { return }
        let bytes = try? readFile(path, ofAnyKind: true).bytes
        guard let bytes, isReport(bytes) else {
            throw UsageError("'\(name)' exists and is not a report; give another name")
        }
    }

    /// A path without links, also if only the beginning of it exists.
    private static func resolved(_ path: String) -> String {
        if let resolved = resolvedPath(path) { return resolved }
        let (folder, name) = folderAndName(of: path)
        return folder == "/" ? path : resolved(folder) + "/" + name
    }

    /// Whether a file has the mark where a report has it.
    private func isReport(_ bytes: [UInt8]) -> Bool {
        switch format {
        case .md: bytes.starts(with: "<!-- \(Self.mark) -->".utf8)
        case .xml: bytes.prefix(500).firstRange(of: "<!-- \(Self.mark) -->".utf8) != nil
        case .html: bytes.prefix(4_000).firstRange(of: "content=\"\(Self.mark)\"".utf8) != nil
        case .json, .sarif: bytes.firstRange(of: "\"generator\":\"\(Self.mark)\"".utf8) != nil
        }
    }

    /// Writes the report, and makes missing folders.
    ///
    /// - Throws: ``FileError``.
    func write(_ text: String) throws(FileError) {
        try makeFolders(folderAndName(of: path).folder)
        let sink = try ByteSink(path: path)
        try sink.write(text)
        try sink.finish()
    }
}

extension [ReportFile] {
    /// What the files need to know of a bake.
    var detail: BakeReport.Detail {
        if isEmpty { return .nothing }
        return contains { $0.format == .html } ? .pictures : .facts
    }
}

extension BakeReport {
    /// Writes the report to files; `site` is the name of the site.
    func write(to files: [ReportFile], of site: String) throws {
        for file in files { try file.write(text(as: file.format, of: site)) }
    }

    /// The report in a format; `site` is the name of the site.
    func text(as format: ReportFile.Format, of site: String) -> String {
        let findings = ReportFindings(
            documents: documents, diagnostics: totals.diagnostics, seconds: totals.seconds)
        switch format {
        case .html: return HTMLReport(self, site: site).text
        case .json:
            let output = VersionedOutput(value: self, generator: ReportFile.mark)
            return canonicalText(of: output) + "\n"
        case .md: return MarkdownReport(report: self).text
        case .sarif, .xml: return findings.text(as: format)
        }
    }
}

/// The documents that a command has read, and its messages about them.
struct ReportFindings: Sendable {
    var documents: [String]
    var diagnostics: [Diagnostic]
    /// The time that the command took.
    var seconds = 0.0
}

extension ReportFindings {
    /// The findings as SARIF or else as JUnit.
    func text(as format: ReportFile.Format) -> String {
        format == .sarif ? sarif : junit
    }
}
