import Recipes

/// Interprets the messages of libvips and of the libraries below it.
enum VipsMessage {
    static func speaksOfMemory(_ message: String) -> Bool {
        let message = message.lowercased()
        return [
            "out of memory", "insufficient memory", "memory allocation", "cannot allocate memory",
            "unable to allocate", "error creating thread",
            // Encoded bytes are collected in memory, so no other error is possible here.
            "unable to write to target target",
        ].contains { message.contains($0) }
    }

    /// The size of an image that libheif rejects before it is decoded, as `17000×17000`.
    ///
    /// libheif calls it an error of memory allocation: "Security limit exceeded: Image size
    /// 17000x17000 exceeds the maximum image size 16384x16384".
    static func refusedSize(in message: String) -> String? {
        guard let limit = message.firstRange(of: "exceeds the maximum image size"),
            let size = message[..<limit.lowerBound].split(separator: " ").last
        else { return nil }
        let sides = size.split(separator: "x").compactMap { Int($0) }
        return sides.count == 2 ? "\(sides[0])×\(sides[1])" : nil
    }

    /// The last meaningful line, without the name of the operation before it.
    static func lastLine(of message: String) -> String {
        let lines = message.split(separator: "\n").filter { line in
            // The AVIF loader reads past the end of every file and reports that, with its path.
            !line.contains(": bad seek to ") && !line.allSatisfy(\.isWhitespace)
        }
        guard let line = lines.last(where: { !$0.hasPrefix(" ") }) else { return "" }
        guard let colon = line.firstRange(of: ": ") else { return String(line) }
        return String(line[colon.upperBound...])
    }

    /// Checks that libjpeg has not warned about damage within the pixels, after which it continues
    /// with grey.
    ///
    /// Superfluous bytes between two markers are harmless, and many cameras write them.
    static func checkForDamage() throws(JobResult.JobError) {
        let damage = Vips.takeError().split(separator: "\n")
            .first { $0.contains("Corrupt JPEG data") && !$0.contains("extraneous bytes") }
        guard let damage else { return }
        throw JobResult.JobError(
            .corrupt, "the image is damaged (\(lastLine(of: String(damage))))")
    }
}
