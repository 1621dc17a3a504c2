extension ExternalTool {
    package static let exiftool = ExternalTool(
        name: "exiftool (libimage-exiftool-perl)", executables: ["exiftool"])
}

extension Pictures {
    /// A copy of an image with metadata that exiftool writes, as in `-EXIF:Artist=Ann`.
    package static func tagged(
        _ image: [UInt8], as fileExtension: String, _ assignments: [String]
    ) throws -> [UInt8] {
        let workspace = try PictureWorkspace(encoding: fileExtension)
        defer { workspace.clear() }
        try FileBytes.write(image, to: workspace.result)
        try VipsTool.run(
            ExternalTool.exiftool.required(),
            ["-q", "-q", "-overwrite_original"] + assignments + [workspace.result])
        return try workspace.resultBytes()
    }

    /// The metadata of an image by group and name, as in `EXIF:Artist`.
    package static func tags(
        of image: [UInt8], as fileExtension: String
    ) throws -> [String: String] {
        let workspace = try PictureWorkspace(encoding: fileExtension)
        defer { workspace.clear() }
        try FileBytes.write(image, to: workspace.result)
        let text = try VipsTool.run(
            ExternalTool.exiftool.required(), ["-a", "-G", "-s", "-n", workspace.result])
        var tags: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let match = line.firstMatch(of: #/^\[(\w+)\]\s+(\w+)\s*: (.*)$/#) else {
                continue
            }
            tags["\(match.1):\(match.2)"] = String(match.3)
        }
        return tags
    }
}
