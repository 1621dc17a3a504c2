extension Pictures {
    /// The drawing of `svg` by librsvg at its own size.
    package static func drawing(_ svg: String, as encoding: String = "png") throws -> [UInt8] {
        try cached("drawing \(svg)", as: encoding) { workspace in
            let file = workspace.newFile("svg")
            try FileBytes.write(Array(svg.utf8), to: file)
            try workspace.vips("svgload", [file], saveAs: workspace.result)
        }
    }

    /// A JPEG of the drawing of `svg`, stored rotated, with the EXIF orientation that displays it
    /// upright.
    package static func sideways(_ svg: String) throws -> [UInt8] {
        let stored = try cached("sideways \(svg)", as: "jpg[Q=92,strip]") { workspace in
            let file = workspace.newFile("svg")
            try FileBytes.write(Array(svg.utf8), to: file)
            let upright = try workspace.vips("svgload", [file])
            try workspace.vips("rot", [upright], "d270", saveAs: workspace.result)
        }
        return addingEXIF(EXIF.orientation(6), to: stored)
    }
}
