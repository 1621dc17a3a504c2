extension Pictures {
    /// A picture of 144 pixels per inch, whose EXIF specifies half its size in pixels for display.
    ///
    /// Browsers use this as the size of the image: HTML, "density-corrected natural width and
    /// height".
    package static func dense(width: Int = 320, height: Int = 240) throws -> [UInt8] {
        let plain = try spots(width: width, height: height, as: "jpg[Q=90,strip]")
        return addingEXIF(EXIF.resolution(144, shown: (width / 2, height / 2)), to: plain)
    }
}
