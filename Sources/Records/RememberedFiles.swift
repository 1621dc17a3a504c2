package import FetchCache
package import Files

/// What single files of a site say, remembered between bakes.
///
/// A file is read again when its status has changed.
package struct RememberedFiles<Fact: RememberedFact> {
    private struct File: Equatable {
        var mark: FileMark
        var facts: [Fact]
    }

    /// Nil if nothing is remembered.
    private let values: BuildValues?
    private let root: String
    /// The files of the last bake, by their paths.
    private let known: [String: File]
    /// The files of this bake.
    private var files: [String: File] = [:]

    /// Remembers nothing.
    package init() {
        (values, root, known) = (nil, "", [:])
    }

    /// Reads what the last bake of a site has found; nothing if it is damaged or of another build.
    package init(root: String, cache: FetchManager) async {
        let values = BuildValues(name: Fact.namespace, cache: cache)
        (self.values, self.root) = (values, root)
        let build = ProgramBuild.digest(of: ProgramBuild.command)
        let bytes = try? await values.value(for: root, of: build)
        known = bytes.map { Self.files(in: RowReader($0)) } ?? [:]
    }

    /// What a file says; nil if it has to be read.
    package mutating func facts(of path: String, _ status: FileStatus) -> [Fact]? {
        guard let file = known[path], file.mark == FileMark(status) else { return nil }
        files[path] = file
        return file.facts
    }

    /// Notes what a file says that was read with a status.
    package mutating func note(_ facts: [Fact], of path: String, _ mark: FileMark) {
        files[path] = File(mark: mark, facts: facts)
    }

    /// Remembers the files for the next bake.
    ///
    /// A failure is not an error; the next bake then reads the files again.
    package func save() async {
        guard let values else { return }
        if files == known { return }
        var writer = RowWriter()
        for (path, file) in files {
            writer.add(path)
            file.mark.write(to: &writer)
            writer.add(Int64(file.facts.count))
            for fact in file.facts { fact.write(to: &writer) }
        }
        let build = ProgramBuild.digest(of: ProgramBuild.command)
        try? await values.set(writer.bytes, for: root, of: build)
    }

    private static func files(in reader: RowReader) -> [String: File] {
        var reader = reader
        var files: [String: File] = [:]
        while let path = reader.text(), let mark = FileMark(from: &reader),
            let count = reader.number()
        {
            var file = File(mark: mark, facts: [])
            for _ in 0..<max(0, count) {
                guard let fact = Fact(from: &reader) else { return files }
                file.facts.append(fact)
            }
            files[path] = file
        }
        return files
    }
}

/// A fact about a file that is remembered between bakes.
package protocol RememberedFact: Equatable {
    /// The namespace of such facts in the cache.
    static var namespace: String { get }

    init?(from reader: inout RowReader)
    func write(to writer: inout RowWriter)
}
