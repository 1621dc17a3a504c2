import FoundationEssentials
import Locks

#if canImport(Glibc)
    import Glibc
#endif

/// A temporary folder in which libvips' command-line tools make one picture.
struct PictureWorkspace {
    /// The path of the finished picture, with the options of its saver.
    let result: String
    private let folder: String
    private let fileCount = Counter()

    init(encoding: String) throws {
        folder =
            "\(PictureWorkspace.temporaryFolder)/imgbake-pictures-\(getpid())-\(Self.workspaceCount.next())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        result = "\(folder)/result.\(encoding)"
    }

    /// Creates a workspace whose result is `bytes`, under a file name that does not show the format.
    init(holding bytes: [UInt8]) throws {
        let isInModule = bytes.dropFirst(4).starts(with: Array("ftyp".utf8))
        try self.init(encoding: isInModule ? "avif" : "bin")
        try FileBytes.write(bytes, to: result)
    }

    /// Removes the folder and its contents.
    func clear() { try? FileManager.default.removeItem(atPath: folder) }

    func resultBytes() throws -> [UInt8] {
        try FileBytes.read(String(result.prefix { $0 != "[" }))
    }

    /// The path of a new file in libvips' own format, which is lossless.
    func newFile(_ fileExtension: String = "v") -> String {
        "\(folder)/\(fileCount.next()).\(fileExtension)"
    }

    /// Runs `vips operation inputs… OUTPUT arguments…` and returns the path of the output, which is
    /// a new file unless specified.
    @discardableResult
    func vips(
        _ operation: String, _ inputs: [String] = [], _ arguments: any CustomStringConvertible...,
        saveAs named: String? = nil
    ) throws -> String {
        let output = named ?? newFile()
        let words = [operation] + inputs + [output] + arguments.map(\.description)
        try VipsTool.run("vips", words)
        return output
    }

    /// The path of an image with the pixels of `raster`.
    func load(_ raster: Raster) throws -> String {
        // A PGM or PPM consists of a line of text and such pixels, and has no alpha channel.
        if raster.bands % 2 == 1 {
            let map = newFile(raster.bands == 1 ? "pgm" : "ppm")
            let head = "P\(raster.bands == 1 ? 5 : 6)\n\(raster.width) \(raster.height)\n255\n"
            try FileBytes.write(Array(head.utf8) + raster.pixels, to: map)
            return map
        }
        let raw = newFile("raw")
        try FileBytes.write(raster.pixels, to: raw)
        let interpretation = raster.bands < 3 ? "b-w" : "srgb"
        return try vips(
            "rawload", [raw], raster.width, raster.height, raster.bands, "--interpretation",
            interpretation)
    }

    /// Saves `raster` as the result.
    func save(_ raster: Raster) throws {
        try vips("copy", [load(raster)], saveAs: result)
    }

    private static let workspaceCount = Counter()

    /// The folder for temporary files.
    static let temporaryFolder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"

    /// A counter that can be used from any thread.
    final class Counter: Sendable {
        private let value = Locked(0)

        func next() -> Int {
            value.withLock {
                $0 += 1
                return $0
            }
        }
    }
}
