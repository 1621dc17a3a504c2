internal import CVips
import Recipes

/// The format of SVGZ (RFC 1952), read by the zlib of GLib.
enum Gzip {
    /// - Throws: ``JobResult/JobError`` if the file is damaged, or holds more than `limit` bytes.
    static func inflated(
        _ file: borrowing SourceFile, limit: Int
    ) throws(JobResult.JobError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = bytes.withUnsafeMutableBytes { buffer in
            cvips_inflate(
                file.start, gsize(file.count), buffer.baseAddress, gsize(buffer.count), 1)
        }
        guard count >= 0 else {
            throw JobResult.JobError(.corrupt, "the gzip stream is damaged or cut short")
        }
        guard count <= limit else {
            throw JobResult.JobError(.unsafe, "the SVG has more than \(limit >> 20) MiB")
        }
        return Array(bytes.prefix(count))
    }
}
