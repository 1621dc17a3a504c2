import Documents
import FetchCache
import Pictures
package import Recipes
import Reports

/// The parts of an installation, for `imgbake version`.
package struct Installation: Codable, Sendable {
    /// A library.
    package struct Library: Codable, Sendable {
        package var name: String
        /// The version that the library tells; nil if it tells none.
        package var version: String?
        /// The name of its file, which ends with the version of its interface; nil if it tells a
        /// version, or is linked statically.
        package var file: String?
    }

    /// The protections of the worker.
    package struct Sandbox: Codable, Sendable {
        /// The protections that are in force.
        package var protections: [SandboxReport.Protection]
        /// The version of Landlock that the kernel has and that is used; nil without Landlock.
        package var landlockVersion: Int?
        package var missing: [SandboxReport.Gap]
    }

    /// The version of imgbake.
    package var imgbake = ImgbakeVersion.text
    package var libraries: [Library]
    /// The formats that are read and written; nil if the worker does not start.
    package var formats: WorkerGreeting.Formats?
    /// Nil if the worker does not start.
    package var sandbox: Sandbox?
    /// The reason why the worker does not start.
    package var error: String?

    /// Determines the parts; starts a worker and ends it.
    ///
    /// - Parameter worker: The path of the worker.
    package init(worker: String) async {
        libraries = LibraryVersions.curl.map { Library(name: $0.name, version: $0.version) }
        libraries.append(Library(name: "SQLite", version: LibraryVersions.sqlite))
        libraries.append(Library(name: "cmark-gfm", version: ParserVersions.cmark))
        var options = WorkerPool.Options(size: 1)
        // Its gaps are part of the answer.
        options.allowsWeakSandbox = true
        let pool = WorkerPool(executable: worker, options: options)
        defer { pool.stop() }
        do throws(WorkerPool.PoolError) {
            let greeting = try await pool.greeting()
            libraries += Self.libraries(of: greeting.encoder)
            formats = greeting.formats
            let report = greeting.sandbox
            sandbox = Sandbox(
                protections: SandboxReport.Protection.allCases.filter { protection in
                    !report.gaps.contains { $0.protection == protection }
                },
                landlockVersion: report.landlockVersion, missing: report.gaps)
        } catch .unavailable(let problem) {
            self.error = problem.reason
        } catch {
            self.error = "\(error)"
        }
    }

    /// The libraries of a worker, from `vips 8.14.1 libaom.so.3.6.0 …`.
    private static func libraries(of encoder: String) -> [Library] {
        let words = encoder.split(separator: " ")
        guard words.count > 1 else { return [] }
        let files = words.dropFirst(2).map { word in
            let end = word.firstRange(of: ".so")?.lowerBound ?? word.endIndex
            return Library(name: String(word[..<end]), file: String(word))
        }
        return [Library(name: "libvips", version: String(words[1]))]
            + files.filter { $0.name != "libvips" }
    }
}
