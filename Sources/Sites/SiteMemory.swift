package import FetchCache
import Files
import Records

/// What files of a site say, remembered between bakes.
///
/// A file is read again when its status has changed.
package struct SiteMemory {
    /// What one file says; nil for what it was not read for.
    struct File: Codable, Equatable, Sendable {
        /// The status with which it was read.
        var mark: FileMark
        /// What a page says about the address of its site.
        var addresses: [AddressClaim]?
        /// The SHA-256 of a style sheet.
        var sheet: String?
        /// The images in a file that is no document.
        var unread: [UnreadURL]?
    }

    private struct Files: Remembered {
        /// By their paths.
        var files: [String: File]
    }

    /// Nil if nothing is remembered.
    private let memory: Memory<Files>?
    private let root: String
    /// The build of this program, as each value belongs to one.
    private let build: String
    /// The files of the last bake.
    private let known: [String: File]
    /// The files of this bake.
    private var files: [String: File] = [:]

    /// Remembers nothing.
    package init() {
        (memory, root, build, known) = (nil, "", "", [:])
    }

    /// Reads what the last bake of a site has found.
    package init(of site: Site, cache: FetchManager) async {
        let memory = Memory<Files>(of: "files", in: cache)
        (self.memory, root) = (memory, site.root)
        build = ProgramBuild.digest(of: ProgramBuild.command)
        known = (try? await memory.value(root, of: build))?.files ?? [:]
    }

    /// What a file says; it is read if its status is another one than in the last bake.
    ///
    /// - Parameters:
    ///   - fact: The fact.
    ///   - path: The path of the file, relative to the site.
    ///   - site: The site.
    ///   - read: Reads it; nil if it cannot be read.
    /// - Returns: nil if there is no such file, or if it cannot be read.
    mutating func value<Fact>(
        _ fact: WritableKeyPath<File, Fact?>, of path: String, in site: Site, read: () -> Fact?
    ) -> Fact? {
        guard let status = FileStatus(site.path(path)) else { return nil }
        let now = FileMark.now
        let old = known[path].flatMap { $0.mark == FileMark(status) ? $0[keyPath: fact] : nil }
        guard let value = old ?? read() else { return nil }
        guard let mark = FileMark(status, settledAt: now) else { return value }
        // Another status may be that of another text.
        if files[path]?.mark != mark { files[path] = File(mark: mark) }
        files[path]?[keyPath: fact] = value
        return value
    }

    /// Remembers the files for the next bake.
    ///
    /// A failure is not an error; the next bake then reads the files again.
    package func save() async {
        guard let memory, files != known else { return }
        try? await memory.set([root: Files(files: files)], of: build)
    }
}
