import Foundation
import Testing

/// The pages about the library name all its types.
@Suite struct PublicTypeTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/FetchCache").standardizedFileURL

    /// The names of the public types that are not part of another type.
    private func publicTypes() throws -> Set<String> {
        let declaration =
            #/^public (?:final |indirect )*(?:actor|class|enum|protocol|struct|typealias) (\w+)/#
            .anchorsMatchLineEndings()
        let files = FileManager.default.enumerator(
            at: Self.sources, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: declaration).map { String($0.output.1) })
        }
        return names
    }

    /// A new public type needs a place on both pages.
    @Test(arguments: ["ComingFromSDWebImage", "FetchCache"])
    func pageNamesEveryType(page: String) throws {
        let names = try publicTypes()
        #expect(names.count > 35 && names.contains("FetchManager") && names.contains("Transport"))
        let text = try String(
            contentsOf: Self.sources.appending(path: "FetchCache.docc/\(page).md"), encoding: .utf8)
        let missing = names.filter { !text.contains("``\($0)``") }
        #expect(missing.isEmpty, "\(page): \(missing.sorted())")
    }
}
