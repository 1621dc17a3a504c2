import Foundation
import TestSupport
import Testing

/// The command on systems whose libvips lacks a decoder.
@Suite(.timeLimit(.minutes(10))) struct MissingDecoderTests {
    /// The libvips of the worker.
    private static func library() async throws -> String {
        let output = try await Command.run("/usr/bin/ldd", [Command.built("imgbake-worker")]).output
        let words = output.split(separator: "\n").first { $0.contains("libvips.so") }?
            .split(separator: " ")
        return String(try #require(words?.dropFirst(2).first))
    }

    /// Writes a copy of libvips and of its modules but for that of JPEG XL.
    ///
    /// - Returns: Whether this libvips has JPEG XL as a module.
    private func copyLibrary(to folder: TemporaryDirectory) async throws -> Bool {
        let library = URL(filePath: try await Self.library())
        let manager = FileManager.default
        let names = try manager.contentsOfDirectory(
            atPath: library.deletingLastPathComponent().path)
        guard let modules = names.first(where: { $0.hasPrefix("vips-modules-") }) else {
            return false
        }
        let source = library.deletingLastPathComponent().appending(path: modules)
        let files = try manager.contentsOfDirectory(atPath: source.path)
        try manager.createDirectory(
            atPath: folder.path("lib/" + modules), withIntermediateDirectories: true)
        try manager.copyItem(
            atPath: library.resolvingSymlinksInPath().path,
            toPath: folder.path("lib/" + library.lastPathComponent))
        for file in files where file != "vips-jxl.so" {
            try manager.copyItem(
                atPath: source.appending(path: file).path,
                toPath: folder.path("lib/\(modules)/\(file)"))
        }
        return files.contains("vips-jxl.so")
    }

    @Test func formatWithoutDecoderIsNamedAndNotCalledDamaged() async throws {
        let origin = try await Origin.start()
        let image = try Pictures.encoded(
            Pictures.scene(as: "png"), as: "png", to: "jxl", by: .jpegXLEncoder,
            ["INPUT", "OUTPUT"])
        origin["/a.jxl"] = OriginRoute(image, contentType: "image/jxl")
        let page = "<img src='\(origin.url)/a.jxl'>"
        let site = try TestSite(["a.html": page])
        guard try await copyLibrary(to: site.folder) else {
            // This libvips has the decoder built in, so that it cannot be left out.
            return
        }
        let environment = ["LD_LIBRARY_PATH": site.folder.path("lib")]
        let result = try await site.start(environment: environment).result()
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.code) == ["missing-decoder"])
        #expect(try site.folder.text("site/a.html") == page)

        // A decoder that is installed later is used.
        let again = try await site.start().result()
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try site.images().count == 1)
    }
}
