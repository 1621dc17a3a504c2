import Files

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
