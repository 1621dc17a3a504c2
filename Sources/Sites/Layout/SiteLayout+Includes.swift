import Files

extension SiteLayout {
    /// Finds the documents that others include, and who includes them.
    ///
    /// - Parameters:
    ///   - syntax: The syntax of the generator.
    ///   - source: The project.
    ///   - folder: The folder of the documents.
    ///   - bases: The folders that paths start from; nil if they start from the including document.
    ///   - everywhere: Paths of documents that every page includes.
    mutating func addIncludes(
        _ syntax: IncludeSyntax, of source: LayoutSource, in folder: String,
        bases: [String]? = nil, everywhere: [String] = []
    ) {
        var text = ProjectText(root: source.root, skipped: builtFolders)
        var graph: [String: [String]] = [:]
        var documents: [String] = []
        func file(_ path: String, from document: String) -> String? {
            let own =
                path.hasPrefix("/")
                ? folder : pathParts(document).dropLast().joined(separator: "/")
            let files = (bases ?? [own]).map { plainPath(joined($0, path)) }
            guard let file = files.first(where: source.hasFile) else { return nil }
            guard isBelow(file, "..") else { return file }
            if !outerIncludes.contains(file) { outerIncludes.append(file) }
            return nil
        }
        func add(_ path: String, _ bytes: [UInt8]) {
            for name in syntax.paths(in: bytes) {
                if let target = file(name, from: path) { graph[target, default: []].append(path) }
            }
        }
        text.forEach(below: folder, endings: ["md", "markdown", "rst"]) { path, bytes in
            documents.append(path)
            add(path, bytes)
        }
        for name in everywhere {
            if let target = file(name, from: "") { graph[target, default: []] += documents }
        }
        // An included document outside of the folder may include others.
        var queue = graph.keys.filter { !isBelow($0, folder) }.sorted()
        var known = Set(queue)
        while let path = queue.popLast() {
            let before = Set(graph.keys)
            if let bytes = text.text(path) { add(path, bytes) }
            for new in graph.keys where !before.contains(new) && !isBelow(new, folder) {
                if known.insert(new).inserted { queue.append(new) }
            }
        }
        isUncertain = !text.isComplete
        var steps = 0
        for (target, direct) in graph {
            includers[target] = pages(including: direct, graph, folder, &steps)
        }
    }

    /// Together for all documents, so that a chain of includes takes no quadratic time.
    private static let mostSteps = 5_000_000

    /// The pages that include a document, also by way of other documents.
    private mutating func pages(
        including direct: [String], _ graph: [String: [String]], _ folder: String,
        _ steps: inout Int
    ) -> [String] {
        var seen = Set(direct)
        var queue = Array(seen)
        while let path = queue.popLast() {
            steps += 1
            if steps > Self.mostSteps {
                isUncertain = true
                return []
            }
            for next in graph[path] ?? [] where seen.insert(next).inserted { queue.append(next) }
        }
        return seen.filter { isBelow($0, folder) }.sorted()
    }
}
