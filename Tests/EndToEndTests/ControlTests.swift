import Foundation
import TestSupport
import Testing

/// `data-imgbake` attributes override the options for the images of their element.
@Suite(.timeLimit(.minutes(10))) struct ControlTests {
    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        origin["/b.png"] = .init(try Pictures.scene(seed: 2, as: "png"))
        return origin
    }

    @Test func appliesControlsOfEachElement() async throws {
        let origin = try await origin()
        let url = origin.url
        let text = """
            <img src="\(url)/a.png" data-imgbake-format="png" data-imgbake-max-width=100 alt=x>
            <img data-imgbake-format=jpeg data-imgbake-quality="30" src='\(url)/a.png' alt=x>
            <img src="\(url)/a.png" alt=x>
            """
        let site = try TestSite(["a.html": text])
        for _ in 0..<2 {
            try site.restore(["a.html": text])
            let result = try await site.bake()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("documents  1, 3 references\nimages     1, "))
            let images = try site.images()
            let name = { (end: String) in images.first { $0.hasSuffix(end) } ?? "no \(end)" }
            #expect(images.count == 3)
            #expect(
                try site.text("a.html") == """
                    <img src="imgbake/\(name(".png"))" alt=x>
                    <img src='imgbake/\(name(".jpg"))' alt=x>
                    <img src="imgbake/\(name(".webp"))" alt=x>
                    """)
        }
        // One request in each bake.
        #expect(origin.requestCount == 2)
    }

    @Test func reportsInvalidControlAndKeepsImage() async throws {
        let origin = try await origin()
        let text = "é\n\n<img data-imgbake-format=\"tiff\" src=\"\(origin.url)/a.png\" width=1>\n"
        let site = try TestSite(["a.md": text])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == ["error site/a.md:3:6 invalid-control"])
        #expect(try site.text("a.md") == text)
        #expect(try await site.bake("--on-error", "warn").exitCode == 0)
        #expect(origin.requestCount == 0)
    }

    @Test func keepsControlUntilAllItsImagesAreLocal() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "a.html": """
            <img data-imgbake-format=png src=\(origin.url)/a.png srcset="\(origin.url)/gone.png 2x" width=1>
            """
        ])
        #expect(try await site.bake().exitCode == 1)
        let image = try #require(try site.images().first)
        #expect(
            try site.text("a.html") == """
                <img data-imgbake-format=png src=imgbake/\(image) srcset="\(origin.url)/gone.png 2x" \
                width=1>
                """)
        origin["/gone.png"] = .init(try Pictures.scene(seed: 9, as: "png"))
        #expect(try await site.bake("--retry-failed").exitCode == 0)
        let other = try #require(try site.images().first { $0 != image })
        #expect(
            try site.text("a.html")
                == "<img src=imgbake/\(image) srcset=\"imgbake/\(other) 2x\" width=1>")
    }

    @Test func removesOffControlsOnlyInCopies() async throws {
        let origin = try await origin()
        let text = "<img data-imgbake=\"off\" src=\(origin.url)/a.png>"
        let site = try TestSite(["a.html": text])
        for _ in 0..<2 {
            #expect(try await site.bake("-o", "public").exitCode == 0)
            #expect(try site.folder.text("public/a.html") == "<img src=\(origin.url)/a.png>")
            #expect(try await site.bake().exitCode == 0)
            #expect(try site.text("a.html") == text)
        }
        #expect(origin.requestCount == 0)
    }
}
