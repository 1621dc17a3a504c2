import Foundation

extension ExternalTool {
    package static let heifEncoder = ExternalTool(
        name: "heif-enc (libheif-examples)", executables: ["heif-enc"])
    package static let jpeg2000Encoder = ExternalTool(
        name: "opj_compress (libopenjp2-tools)", executables: ["opj_compress"])
    package static let jpegXLEncoder = ExternalTool(
        name: "cjxl (libjxl-tools)", executables: ["cjxl"])
    package static let avifEncoder = ExternalTool(
        name: "avifenc (libavif-bin)", executables: ["avifenc"])
    package static let tiffTool = ExternalTool(
        name: "tiffcp (libtiff-tools)", executables: ["tiffcp"])
    package static let bitmapEncoder = ExternalTool(
        name: "ppmtobmp (netpbm)", executables: ["ppmtobmp"])
}

extension Pictures {
    /// The samples of every pixel of an image, row by row.
    package static func pixels(of image: [UInt8], hasFrames: Bool = false) throws -> [[UInt8]] {
        let bands = try PictureFacts(of: image).bands ?? 1
        let workspace = try PictureWorkspace(holding: image)
        defer { workspace.clear() }
        let raw = try workspace.vips(
            "rawsave", [workspace.result + (hasFrames ? "[n=-1]" : "")],
            saveAs: workspace.newFile("raw"))
        let samples = try FileBytes.read(raw)
        return stride(from: 0, to: samples.count, by: bands).map {
            Array(samples[$0..<min($0 + bands, samples.count)])
        }
    }

    /// An animated AVIF of 160 × 120 with a different scene in each frame.
    package static func animatedAVIF(frameCount: Int) throws -> [UInt8] {
        let workspace = try PictureWorkspace(encoding: "avif")
        defer { workspace.clear() }
        let frames = try (0..<frameCount).map { frame in
            let path = workspace.newFile("png")
            let scene = try scene(width: 160, height: 120, seed: UInt64(frame + 1), as: "png")
            try FileBytes.write(scene, to: path)
            return path
        }
        let program = try ExternalTool.avifEncoder.required()
        try VipsTool.run(program, ["--speed", "9", "--fps", "5"] + frames + [workspace.result])
        return try workspace.resultBytes()
    }

    /// Encodes an image with `tool`, the reference encoder of a format.
    ///
    /// `arguments` must contain `INPUT`, which is replaced by the path of a file with the bytes of
    /// `image`. `OUTPUT` is replaced by the path of the result; without it, the result is standard
    /// output.
    ///
    /// - Parameters:
    ///   - image: The bytes of an image that the encoder can read.
    ///   - inputExtension: The file extension of the input.
    ///   - outputExtension: The file extension of the result.
    ///   - tool: The encoder.
    ///   - arguments: Its arguments.
    /// - Returns: The bytes of the result.
    /// - Throws: ``MissingTool`` if it is not installed.
    package static func encoded(
        _ image: [UInt8], as inputExtension: String, to outputExtension: String,
        by tool: ExternalTool, _ arguments: [String]
    ) throws -> [UInt8] {
        let workspace = try PictureWorkspace(encoding: outputExtension)
        defer { workspace.clear() }
        let input = workspace.newFile(inputExtension)
        try FileBytes.write(image, to: input)
        let program = try tool.required()
        let words = arguments.map { word in
            word == "INPUT" ? input : word == "OUTPUT" ? workspace.result : word
        }
        if arguments.contains("OUTPUT") {
            try VipsTool.run(program, words)
        } else {
            // Messages of the program are discarded.
            try VipsTool.run(
                "/bin/sh",
                ["-c", "exec \"$@\" >'\(workspace.result)' 2>/dev/null", "sh", program] + words)
        }
        return try workspace.resultBytes()
    }
}
