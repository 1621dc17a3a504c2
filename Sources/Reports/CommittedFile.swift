import Files
import FoundationEssentials
import Records

/// A file that bakes write for version control: a lockfile, a baseline, the measured sizes.
package struct CommittedFile {
    /// Absolute.
    var path: String
    /// The path in messages.
    package var name: String
    /// The largest size that is read, in bytes.
    private static let largest = 64 << 20

    package init(path: String, name: String) { (self.path, self.name) = (path, name) }

    /// Reads the file.
    ///
    /// - Parameter parse: Makes the content of the file's bytes.
    /// - Returns: The content and the bytes; nil if there is no file.
    /// - Throws: ``FatalProblem`` with the place of what cannot be used.
    package func read<Content>(
        _ parse: ([UInt8]) throws(LineProblem) -> Content
    ) throws(FatalProblem) -> (content: Content, bytes: [UInt8])? {
        guard FileStatus(path, followingLinks: true) != nil else { return nil }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try readFile(path, limit: Self.largest, ofAnyKind: true).bytes
        } catch {
            throw FatalProblem(problem: error.problem, place: Diagnostic.Place(name))
        }
        do throws(LineProblem) {
            return (try parse(bytes), bytes)
        } catch {
            let place = Diagnostic.Place(name, line: error.line)
            throw FatalProblem(problem: error.problem, place: place)
        }
    }

    /// Writes the file; if its path is a link, the file that it leads to.
    ///
    /// - Throws: ``FatalProblem``; an older file is then as it was.
    package func write(_ bytes: [UInt8]) throws(FatalProblem) {
        do throws(FileError) {
            let file = try AtomicFile(resolvedPath(path) ?? path, mode: 0o644)
            try file.write(bytes)
            try file.commit()
        } catch {
            throw FatalProblem(problem: error.problem, place: Diagnostic.Place(name))
        }
    }
}

/// The form of files that bakes write for version control: lines of JSON, the first of which is a
/// heading with a version.
///
/// No line depends on another one: there are no commas between them. So merges of two branches by
/// lines give a valid file.
package struct LineFile {
    /// The member of the heading that holds the version.
    var heading: String
    private let version = 1
    /// The code of a line that cannot be used.
    var code: DiagnosticCode
    /// How the user gets a file that can be used.
    var remedy: String

    package init(heading: String, code: DiagnosticCode, remedy: String) {
        self.heading = heading
        self.code = code
        self.remedy = remedy
    }

    /// The lines after the heading that are not empty, with their numbers.
    ///
    /// - Throws: ``LineProblem`` for a mark of a merge conflict and for a file of another kind or of a
    ///   newer version.
    package func lines(
        of bytes: [UInt8]
    ) throws(LineProblem) -> [(number: Int, text: ArraySlice<UInt8>)] {
        let texts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var lines = texts.enumerated().map { (number: $0 + 1, text: $1) }.filter {
            !$0.text.isEmpty
        }
        if let mark = lines.first(where: { isConflictMark($0.text) }) {
            throw problem(
                mark.number, "this is a mark of a merge conflict",
                "delete the marks, and keep the lines of both sides")
        }
        if lines.isEmpty { throw problem(1, "the file is empty") }
        let first = lines.removeFirst()
        let members = try? JSONDecoder().decode([String: Int].self, from: Data(first.text))
        guard let found = members?[heading], found > 0 else {
            throw problem(first.number, "the file does not begin with {\"\(heading)\":\(version)}")
        }
        guard found <= version else {
            throw problem(
                first.number, "the file is of a newer version of imgbake", "update imgbake")
        }
        return lines
    }

    /// The file with these lines.
    package func encoded(_ lines: [String]) -> [UInt8] {
        Array((["{\"\(heading)\":\(version)}"] + lines).map { $0 + "\n" }.joined().utf8)
    }

    package func problem(_ line: Int, _ reason: String, _ remedy: String? = nil) -> LineProblem {
        LineProblem(line: line, problem: Problem(code, reason, remedy: remedy ?? self.remedy))
    }

    /// Whether a line was written by a merge with conflicts.
    private func isConflictMark(_ line: ArraySlice<UInt8>) -> Bool {
        ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].contains { line.starts(with: $0.utf8) }
    }
}

/// A line of a file that cannot be used.
package struct LineProblem: Error {
    /// Counted from 1.
    var line: Int
    var problem: Problem
}

/// A text as a JSON string.
package func jsonText(_ text: String) -> String { canonicalText(of: text) }
