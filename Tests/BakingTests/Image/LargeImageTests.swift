import Baking
import ImageFormats
import Recipes
import TestSupport
import Testing

/// An image whose encoding takes more memory than the real worker has.
@Suite(.timeLimit(.minutes(10))) struct LargeImageTests {
    /// Decoding it takes 24 MB; its encoder for WebP takes several times as much.
    private func answer(_ alternative: Recipe.Alternative) async throws -> JobResult {
        let folder = try TemporaryDirectory()
        try folder.write(try Pictures.transparentNoise(width: 3000, height: 2000), to: "source")
        var options = WorkerPool.Options(size: 1)
        options.memoryBytes = 120 << 20
        options.allowsWeakSandbox = true
        let pool = WorkerPool(executable: Command.built("imgbake-worker"), options: options)
        defer { pool.stop() }
        let recipe = Recipe(
            encoding: Recipe.Encoding(format: .webp, quality: 80), alternative: alternative)
        return try await pool.perform(
            WorkerPool.Order(
                Job(.transform(recipe)), source: folder.path("source"),
                output: folder.path("output"),
                header: ImageHeader(format: .png, width: 3000, height: 2000, hasAlpha: true)))
    }

    @Test func reasonNamesSize() async throws {
        guard case .failure(let failure) = try await answer(.none) else {
            Issue.record("the memory was enough")
            return
        }
        #expect(failure.code == .tooLargeForFormat)
        #expect(failure.reason.contains("3000×2000"))
    }

    @Test func usesAlternativeFormatThatNeedsLessMemory() async throws {
        let png = Recipe.Encoding(format: .png)
        guard case .variant(let made) = try await answer(.encoding(png)) else {
            Issue.record("PNG takes less memory")
            return
        }
        #expect(made.format == .png)
    }

    @Test func usesSourceIfAllowed() async throws {
        guard case .variant(let made) = try await answer(.source) else {
            Issue.record("the source needs no encoder")
            return
        }
        #expect(made.isSource)
    }
}
