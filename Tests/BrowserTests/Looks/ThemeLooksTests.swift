import TestSupport
import Testing

/// A bake does not change the appearance of a page in the default themes of generators.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct ThemeLooksTests {
    @Test(.needs(.sphinx), arguments: [LookTheme.alabaster, .classic])
    func sphinx(theme: LookTheme) async throws { try await compare(theme) }

    @Test(.needs(.mkdocs), arguments: [LookTheme.mkdocs, .readthedocs, .material])
    func mkDocs(theme: LookTheme) async throws { try await compare(theme) }

    @Test(.needs(.pandoc))
    func pandoc() async throws { try await compare(.pandoc) }

    private func compare(_ theme: LookTheme) async throws {
        _ = try theme.tool.required()
        for view in [LookView.desktop, .tablet] {
            let before = try await LookSite.shared.look(theme.file, view, after: nil)
            let after = try await LookSite.shared.look(theme.file, view, after: .standard)
            try #require(before.boxes.filter { $0.kind == "img" }.count >= 7)
            try #require(before.boxes.map(\.path) == after.boxes.map(\.path))
            for (old, new) in zip(before.boxes, after.boxes) {
                // One image is scaled down.
                let differences = new.differences(from: old, tolerance: LookCase.scaled)
                #expect(differences == [], "\(view)")
                #expect(new.source == old.source, "\(view)")
            }
            #expect(after.requests.filter { !$0.hasSucceeded } == [], "\(view)")
            #expect(after.requests.filter { ($0.host ?? after.host) != after.host } == [])
        }
    }
}
