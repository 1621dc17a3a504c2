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

@Suite(.timeLimit(.minutes(10))) struct ImageFolderTests {
    private let site: BakeFolder
    private let cache: FetchManager
    private let output: OutputFolder

    init() throws {
        site = try BakeFolder()
        cache = try FetchManager(site.options().fetching)
        output = try OutputFolder(site.root)
    }

    private func imageFolder() -> ImageFolder {
        ImageFolder(
            "imgbake", in: output, PublishedFiles(in: output.path("imgbake"), cache: cache))
    }

    private func place(_ text: String) throws -> String {
        try site.folder.write(text, to: "blob")
        let digest = try contentDigest(of: site.folder.path("blob")).digest
        let name = "x-\(digest.hex.prefix(16)).png"
        let folder = imageFolder()
        try folder.markOnce()
        try folder.place(site.folder.path("blob"), digest: digest, as: name)
        return name
    }

    @Test(arguments: [
        [], ["a-0123456789abcdef.webp"], ["a-b-0123456789abcdef.tar.gz"], [".imgbake-12ab-3"],
        [".imgbake"],
    ])
    func marksFolderOfBakedImages(files: [String]) throws {
        for file in files { try site.folder.write("", to: "site/imgbake/" + file) }
        _ = try place("x")
        #expect(ImageFolder.isMarked(site.root + "/imgbake"))
    }

    @Test(arguments: [
        "logo.png", "a-0123456789abcde.webp", "0123456789abcdef.webp", "a-0123456789ABCDEF.webp",
        "a-0123456789abcdeg.png", "a_0123456789abcdef.png", "index.html", ".imgbake-x",
    ])
    func doesNotMarkFolderWithOtherFiles(file: String) throws {
        try site.folder.write("", to: "site/imgbake/" + file)
        _ = try place("x")
        #expect(!ImageFolder.isMarked(site.root + "/imgbake"))
        #expect(site.folder.exists("site/imgbake/" + file))
    }

    @Test func folderIsNotAMark() throws {
        try site.folder.write("", to: "site/imgbake/.imgbake/x")
        #expect(!ImageFolder.isMarked(site.root + "/imgbake"))
        #expect(!ImageFolder.isMarked(site.root + "/nowhere"))
    }

    @Test func checksSizeAndHashOfImage() async throws {
        let name = try place("bytes")
        let folder = imageFolder()
        #expect(await folder.has(name, byteCount: 5))
        #expect(await !folder.has(name, byteCount: 4))
        #expect(await !folder.has("gone-0123456789abcdef.png", byteCount: 5))
        try site.folder.write("bytes", to: "site/imgbake/y-0123456789abcdef.png")
        #expect(await !folder.has("y-0123456789abcdef.png", byteCount: 5))
        try site.folder.write("bytes", to: "site/imgbake/plain.png")
        #expect(await !folder.has("plain.png", byteCount: 5))
    }

    private func status(_ name: String = "file") throws -> FileStatus {
        try site.folder.write("text", to: name)
        return try #require(FileStatus(site.folder.path(name)))
    }

    /// A status that changed long ago, and one that may change again within the same tick of the
    /// clock.
    private func settledAndUnsettledStatus() throws -> (old: FileStatus, new: FileStatus) {
        var (old, new) = (try status(), try status())
        old.changed.seconds -= 60
        new.changed.seconds += 940
        return (old, new)
    }

    @Test func recognizesRecordedFileByStatus() async throws {
        let files = PublishedFiles(in: "/folder", cache: cache)
        let status = try status()
        #expect(await !files.isKnown("x", status))
        files.note("x", status)
        #expect(await files.isKnown("x", status))
        #expect(await !files.isKnown("y", status))
    }

    @Test func recordsOnlySettledStatus() async throws {
        let (old, new) = try settledAndUnsettledStatus()
        let files = PublishedFiles(in: "/folder", cache: cache)
        files.note("old", old)
        files.note("new", new)
        await files.save()
        let next = PublishedFiles(in: "/folder", cache: cache)
        #expect(await next.isKnown("old", old))
        #expect(await !next.isKnown("new", new))
        #expect(await !files.isKnown("new", new))
    }

    @Test func doesNotRecognizeOtherStatus() async throws {
        let (old, _) = try settledAndUnsettledStatus()
        let files = PublishedFiles(in: "/folder", cache: cache)
        files.note("x", old)
        await files.save()
        let changes: [(inout FileStatus) -> Void] = [
            { $0.byteCount += 1 }, { $0.modified.seconds += 1 }, { $0.modified.nanoseconds += 1 },
            { $0.changed.seconds += 1 }, { $0.changed.nanoseconds += 1 }, { $0.inode += 1 },
            { $0.device += 1 },
        ]
        for change in changes {
            var other = old
            change(&other)
            #expect(await !files.isKnown("x", other), "\(other)")
        }
        #expect(await files.isKnown("x", old))
    }
}

@Suite struct ImageManifestTests {
    private func image(_ url: String, _ file: String, width: Int = 3) -> BakedImage {
        BakedImage(
            url: url, options: VariantOptions(), sourceDigest: .ofNoBytes, sourceByteCount: 7,
            fileName: file, byteCount: 5, format: .webp, width: width, height: 2,
            original: .init(format: .png, width: 30, height: 20))
    }

    private func use(
        _ image: BakedImage, _ document: String, _ line: Int, in directory: String = "imgbake"
    ) -> ImageUse {
        ImageUse(
            image: image, directory: directory,
            place: Diagnostic.Place(document, line: line, column: 1))
    }

    @Test func groupsAndSortsUsesByImage() {
        let (a, small) = (image("https://h/a", "a-1.webp"), image("https://h/a", "a-0.webp"))
        let manifest = ImageManifest([
            use(image("https://h/b", "b.webp"), "a.md", 1), use(a, "b.md", 1), use(a, "a.md", 10),
            use(small, "a.md", 9), use(a, "a.md", 10),
        ])
        #expect(manifest.images.map(\.url) == ["https://h/a", "https://h/b"])
        #expect(
            manifest.images[0].variants.map(\.file) == ["imgbake/a-0.webp", "imgbake/a-1.webp"])
        #expect(
            manifest.images[0].uses.map(\.text) == [
                "a.md:9:1", "a.md:10:1", "a.md:10:1", "b.md:1:1",
            ])
    }

    @Test func fileInTwoFoldersIsTwoVariants() {
        let one = image("https://h/a", "a.webp")
        let manifest = ImageManifest([use(one, "a.md", 1), use(one, "b.md", 1, in: "b/imgbake")])
        #expect(manifest.images[0].variants.map(\.file) == ["b/imgbake/a.webp", "imgbake/a.webp"])
    }

    @Test func textIsIndependentOfDocumentOrder() throws {
        let uses = (0..<20).map { use(image("https://h/\($0 % 7)", "\($0 % 3).webp"), "a.md", $0) }
        let text = try ImageManifest(uses).encoded()
        for _ in 0..<5 { #expect(try ImageManifest(uses.shuffled()).encoded() == text) }
        #expect(text.last == UInt8(ascii: "\n"))
    }

    @Test func textOmitsCredentials() throws {
        let collector = ManifestCollector()
        collector.add([use(image("https://u:s3cret@h/a?b=1", "a.webp"), "a.md", 1)])
        let text = String(decoding: try ImageManifest(collector.all).encoded(), as: UTF8.self)
        #expect(!text.contains("s3cret"))
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let object = try #require(json)
        #expect(object["version"] as? Int == 1)
        let image = try #require((object["images"] as? [[String: Any]])?.first)
        #expect(image["url"] as? String == "https://h/a?b=1")
        let source = try #require(image["source"] as? [String: Any])
        #expect(source["bytes"] as? Int == 7 && source["format"] as? String == "png")
        #expect(source["width"] as? Int == 30)
        #expect(source["sha256"] as? String == BlobDigest.ofNoBytes.hex)
        let variant = try #require((image["variants"] as? [[String: Any]])?.first)
        #expect(variant["file"] as? String == "imgbake/a.webp" && variant["bytes"] as? Int == 5)
    }

    @Test func siteWithoutImagesHasEmptyList() throws {
        let text = String(decoding: try ImageManifest([]).encoded(), as: UTF8.self)
        #expect(text.filter { !$0.isWhitespace } == #"{"images":[],"version":1}"#)
    }
}
