import Foundation
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Imaging

/// The bytes of variants change only together with ``Recipe/version``.
///
/// `Tests/Golden/variants.txt` has a digest of each. Other encoders give other bytes, so it holds for
/// the machines that have those with which it was recorded. After a change of the bytes that is
/// meant, raise the version and run this suite with `IMGBAKE_RECORD_GOLDEN=1`.
@Suite(.timeLimit(.minutes(10))) struct GoldenVariantTests {
    private struct Golden: Equatable {
        var version: Int
        var encoders: String
        /// The digests of the variants, by what they are made of.
        var digests: [String: String]

        init(version: Int, encoders: String, digests: [String: String]) {
            self.version = version
            self.encoders = encoders
            self.digests = digests
        }

        init(text: String) throws {
            let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
            let pairs = lines.compactMap { $0.count == 2 ? (String($0[0]), String($0[1])) : nil }
            let values = Dictionary(uniqueKeysWithValues: pairs)
            version = try #require(values["version"].flatMap { Int($0) })
            encoders = try #require(values["encoders"])
            digests = values.filter { !["version", "encoders"].contains($0.key) }
        }

        var text: String {
            let lines = digests.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
            return "version \(version)\nencoders \(encoders)\n" + lines.joined()
        }
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Golden/variants.txt")

    private static func sources() throws -> [String: [UInt8]] {
        [
            "jpeg": try Pictures.photo(width: 320, height: 240, as: "jpg"),
            "png": try Pictures.scene(as: "png"),
            "alpha": try Pictures.scene(channels: .colourAlpha, as: "png"),
            "webp": try Pictures.scene(as: "webp"),
            "wide": try Pictures.displayP3(),
            "turned": try Pictures.oriented(6, width: 120, height: 80),
            "located": try Pictures.located(),
            "animation": try Pictures.animation(as: "gif"),
            "icon": try Pictures.icon(),
            "drawing": Array(
                SVGTexts.wrap("<script>1</script><rect width='9' height='9' fill='red'/>").utf8),
        ]
    }

    private static let options: [String: VariantOptions] = {
        var all = [
            "auto": VariantOptions(quality: 80),
            "small": VariantOptions(quality: 35, maximumWidth: 100),
            "webp": VariantOptions(format: .webp), "avif": VariantOptions(format: .avif),
            "jpeg": VariantOptions(format: .jpeg, maximumWidth: 77),
            "png": VariantOptions(format: .png, maximumWidth: 77),
            "keep": VariantOptions(format: .keep),
        ]
        func add(_ name: String, _ change: (inout VariantOptions) -> Void) {
            var options = VariantOptions(quality: 80, maximumWidth: 90)
            change(&options)
            all[name] = options
        }
        add("readers") { $0.isForReaders = true }
        add("first") { $0.frames = .first }
        add("frames") { $0.frames = .keep }
        add("rasterise") { $0.svg = .rasterise }
        add("copyright") { $0.metadata = .copyright }
        add("metadata") { $0.metadata = .keep }
        add("crop") { $0.crop = CropRatio("1:1") }
        return all
    }()

    private func now() throws -> Golden {
        let processor = try ImageProcessor()
        _ = processor.openLibraries()
        #if arch(x86_64)
            let machine = "x86_64"
        #else
            let machine = "arm64"
        #endif
        let encoders = digest(Array((processor.encoders.name + machine).utf8))
        var golden = Golden(version: Recipe.version, encoders: encoders, digests: [:])
        for (source, bytes) in try Self.sources() {
            for (name, all) in Self.options {
                var options = all
                // Without a quality, drawings are without loss.
                if source == "drawing" { options.quality = nil }
                let fixture = try ImageFixture()
                let answer = try fixture.answer(to: Job([options]), bytes)
                let made = answer.image?.variants.first?.made?.variant
                golden.digests["\(source)-\(name)"] =
                    made == nil
                    ? "none"
                    : made?.isSource == true
                        ? "source" : digest(try FileBytes.read(fixture.output))
            }
        }
        return golden
    }

    /// FNV-1a in 64 bits, which needs no library; nobody attacks this file.
    private func digest(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return String(hash, radix: 16)
    }

    @Test func bytesChangeOnlyWithTheVersionOfRecipes() throws {
        let text = (try? String(contentsOf: Self.file, encoding: .utf8)) ?? ""
        let recorded = text.isEmpty ? nil : try Golden(text: text)
        let now = try now()
        let isSameVersion =
            recorded?.encoders == now.encoders && recorded?.version == Recipe.version
        if ProcessInfo.processInfo.environment["IMGBAKE_RECORD_GOLDEN"] != nil {
            try #require(
                !isSameVersion || recorded == now, "raise Recipe.version: the bytes have changed")
            try now.text.write(to: Self.file, atomically: true, encoding: .utf8)
            return
        }
        let golden = try #require(recorded, "there is no \(Self.file.path)")
        #expect(golden.version == Recipe.version, "record the variants of this version")
        #expect(Set(golden.digests.keys) == Set(now.digests.keys), "record the new variants")
        guard golden.encoders == now.encoders else { return }
        let changed = now.digests.filter { golden.digests[$0.key] != $0.value }
        #expect(changed.isEmpty, "raise Recipe.version, then record: \(changed.keys.sorted())")
    }
}
