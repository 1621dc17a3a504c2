import FetchCache
import Files
import Foundation
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports
@testable import Sites

@Suite(.timeLimit(.minutes(10))) struct LocalImagesTests {
    private let site: BakeFolder
    private let cache: FetchManager
    private let images: LocalImages

    init() throws {
        site = try BakeFolder(["a.png": "bytes", "sub/b c.png": "b", "folder/x": ""])
        cache = try FetchManager(site.options().fetching)
        images = LocalImages(root: site.root, cache: cache)
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: site.root + "/" + name, withDestinationPath: target)
    }

    @Test func digestIsOfTheBytes() async throws {
        let image = try await images.image(at: "a.png")
        #expect(image.path == site.root + "/a.png")
        #expect(image.byteCount == 5 && image.origin == .local)
        #expect(
            image.digest.hex == "277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9")
        #expect(try await images.image(at: "sub/../a.png").digest == image.digest)
    }

    @Test func hashesEachImageOnce() async throws {
        let first = try await images.image(at: "a.png")
        try site.folder.write("other bytes", to: "site/a.png")
        #expect(try await images.image(at: "a.png").digest == first.digest)
        let next = LocalImages(root: site.root, cache: cache)
        #expect(try await next.image(at: "a.png").digest != first.digest)
    }

    @Test func followsLinkWithinSite() async throws {
        try link("link.png", to: "sub/b c.png")
        #expect(try await images.image(at: "link.png").path == site.root + "/sub/b c.png")
    }

    @Test(arguments: ["gone.png", "folder", "out.png", "out/x", "dangling.png", "../cache", ""])
    func reportsFilesOutsideSiteAsMissing(path: String) async throws {
        let outside = try TemporaryDirectory()
        try outside.write("secret", to: "x")
        try link("out.png", to: outside.path("x"))
        try link("out", to: outside.path)
        try link("dangling.png", to: "nowhere")
        let problem = await #expect(throws: Problem.self) { try await images.image(at: path) }
        #expect(problem?.code == .missingImage)
        #expect(throws: Problem.self) { try images.snapshot(of: path) }
    }

    @Test func siblingWithSamePrefixIsOutside() throws {
        try site.folder.write("secret", to: "site-private/x.png")
        #expect(throws: Problem.self) {
            try locateLocalImage("../site-private/x.png", root: site.root)
        }
    }

    @Test func snapshotDoesNotChange() throws {
        let snapshot = try images.snapshot(of: "a.png")
        try site.folder.write("other", to: "site/a.png")
        #expect(try readFile(snapshot.path).bytes == Array("bytes".utf8))
        #expect(try contentDigest(of: snapshot.path).digest == snapshot.digest)
        #expect(snapshot.byteCount == 5 && snapshot.path != site.root + "/a.png")
        let next = try images.snapshot(of: "a.png")
        #expect(next.path != snapshot.path && next.digest != snapshot.digest)
    }
}

@Suite(.timeLimit(.minutes(10))) struct ImagePublisherTests {
    private let site: BakeFolder
    private let cache: FetchManager
    private let output: OutputFolder
    private let publisher: ImagePublisher

    init() throws {
        site = try BakeFolder()
        cache = try FetchManager(site.options().fetching)
        output = try OutputFolder(site.root)
        publisher = ImagePublisher(cache: cache, output: output, directory: "imgbake")
    }

    private func variant(
        _ text: String, _ name: String = "blob"
    ) throws -> (VariantBlob, BakedImage) {
        try site.folder.write(text, to: name)
        let (digest, count) = try contentDigest(of: site.folder.path(name))
        let stored = VariantBlob(
            path: site.folder.path(name), digest: digest, byteCount: count, format: .png,
            width: 1, height: 1)
        let image = BakedImage(
            url: "https://h/a.png", options: VariantOptions(), sourceDigest: digest,
            sourceByteCount: 1,
            fileName: "a-\(digest.hex.prefix(16)).png", byteCount: count, format: .png, width: 1,
            height: 1, original: .init(format: .png, width: 1, height: 1))
        return (stored, image)
    }

    @Test func writesImageOnce() async throws {
        let (stored, image) = try variant("bytes")
        #expect(await !publisher.has(image))
        try await publisher.publish([(image.fileName, stored)], of: image)
        #expect(await publisher.has(image))
        let file = "site/imgbake/" + image.fileName
        let status = FileStatus(site.folder.path(file))
        try await publisher.publish([(image.fileName, stored)], of: image)
        #expect(FileStatus(site.folder.path(file)) == status)
    }

    private var list: String { "site/imgbake/" + ImageFileList.name }

    @Test func imagesAreListedBeforeTheyExistHoweverManyStartAtOnce() async throws {
        let images = try (0..<40).map { try variant("bytes \($0)", "blob-\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (stored, image) in images {
                group.addTask { [publisher] in
                    try await publisher.publish(
                        [(image.fileName, stored)], of: image)
                }
            }
            try await group.waitForAll()
        }
        let listed = ImageFileList(inFolder: site.folder.path("site/imgbake")).files
        #expect(Set(listed.keys) == Set(images.map(\.1.fileName)))
        #expect(ImageFileList.isMissing(inFolder: site.folder.path("site/imgbake")))
        try await publisher.save()
        #expect(!ImageFileList.isMissing(inFolder: site.folder.path("site/imgbake")))
        let lines = try site.folder.text(list).split(separator: "\n")
        #expect(lines.count == 41 && lines.dropFirst().elementsEqual(lines.dropFirst().sorted()))
    }

    @Test func listOfALinkedFolderOutsideIsNotChanged() async throws {
        let (stored, image) = try variant("bytes")
        try site.folder.write("mark", to: "other/.imgbake")
        try FileManager.default.createSymbolicLink(
            atPath: site.folder.path("site/imgbake"),
            withDestinationPath: site.folder.path("other"))
        await #expect(throws: FileError.self) {
            try await publisher.publish([(image.fileName, stored)], of: image)
        }
        #expect(!site.folder.exists("other/" + ImageFileList.name))
    }

    @Test func otherNameOfTheListKeepsItsLines() async throws {
        for text in ["one", "two"] {
            let (stored, image) = try variant(text)
            try await publisher.publish([(image.fileName, stored)], of: image)
            if text == "one" {
                #expect(link(site.folder.path(list), site.folder.path("copy")) == 0)
            }
        }
        #expect(try site.folder.text("copy").split(separator: "\n").count == 1)
        #expect(ImageFileList(inFolder: site.folder.path("site/imgbake")).files.count == 2)
    }

    @Test func doesNotPublishDamagedBytes() async throws {
        let (stored, image) = try variant("bytes")
        try site.folder.write("bytez", to: "blob")
        let damage = await #expect(throws: DamagedBlob.self) {
            try await publisher.publish([(image.fileName, stored)], of: image)
        }
        #expect(damage?.digest == stored.digest)
        #expect(output.files(in: "imgbake").filter { !$0.hasPrefix(".imgbake") }.isEmpty)
    }

    @Test func replacesChangedFile() async throws {
        let (stored, image) = try variant("bytes")
        try await publisher.publish([(image.fileName, stored)], of: image)
        let file = "site/imgbake/" + image.fileName
        for text in ["byte", "bytez", ""] {
            try site.folder.write(text, to: file)
            #expect(await !publisher.has(image), "\(text)")
            try await publisher.publish([(image.fileName, stored)], of: image)
            #expect(try site.folder.text(file) == "bytes")
        }
    }

    @Test func replacesLinkOrFolderByImage() async throws {
        let (stored, image) = try variant("bytes")
        try site.folder.write("bytes", to: "elsewhere")
        try site.folder.write("", to: "site/imgbake/.keep")
        let file = site.root + "/imgbake/" + image.fileName
        try FileManager.default.createSymbolicLink(
            atPath: file, withDestinationPath: site.folder.path("elsewhere"))
        #expect(await !publisher.has(image))
        try await publisher.publish([(image.fileName, stored)], of: image)
        #expect(FileStatus(file)?.kind == .file)
        #expect(try site.folder.text("elsewhere") == "bytes")
    }
}
