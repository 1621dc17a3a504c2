import Baking
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Pictures

/// An image whose encoding takes more memory than the real worker has.
@Suite(.timeLimit(.minutes(10))) struct LargeImageTests {
    /// Decoding it takes 24 MB; its encoder for WebP takes several times as much.
    private func outcome(
        _ options: VariantOptions, _ encoding: String = "png[compression=1]"
    ) async throws -> JobResult.Outcome {
        let folder = try TemporaryDirectory()
        let noise = try Pictures.transparentNoise(width: 3000, height: 2000, as: encoding)
        try folder.write(noise, to: "source")
        var workers = WorkerPool.Options(size: 1)
        workers.memoryBytes = 120 << 20
        workers.allowsWeakSandbox = true
        let pool = WorkerPool(executable: Command.built("imgbake-worker"), options: workers)
        defer { pool.stop() }
        let answer = try await pool.perform(
            WorkerPool.Order(
                job: Job([options]), source: folder.path("source"), outputs: [folder.path("output")]
            ))
        guard case .image(let image) = answer, let outcome = image.variants.first else {
            Issue.record("\(answer)")
            return .notMade
        }
        return outcome
    }

    @Test func reasonNamesSize() async throws {
        // An image that has to be scaled has no other bytes.
        let options = VariantOptions(format: .webp, quality: 80, maximumWidth: 2990)
        guard case .failure(let failure) = try await outcome(options) else {
            Issue.record("the memory was enough")
            return
        }
        #expect(failure.code == .tooLargeForFormat)
        #expect(failure.reason.contains("2990×1993"))
    }

    /// A TIFF, which browsers do not show, has PNG as its other encoding.
    @Test func usesAlternativeFormatThatNeedsLessMemory() async throws {
        let options = VariantOptions(quality: 80, maximumWidth: nil)
        guard case .made(let made) = try await outcome(options, "tiff") else {
            Issue.record("PNG takes less memory")
            return
        }
        #expect(made.variant.format == .png)
    }

    /// Its bytes, or its pixels in fewer bytes of the same format.
    @Test func usesFormatOfSourceIfAllowed() async throws {
        let options = VariantOptions(format: .webp, quality: 80, maximumWidth: nil)
        guard case .made(let made) = try await outcome(options) else {
            Issue.record("the source needs no encoder")
            return
        }
        #expect(made.variant.format == .png && made.variant.width == 3000)
    }
}
