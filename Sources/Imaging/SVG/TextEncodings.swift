internal import CXML

/// The converters of character encodings, which the C library loads from files when they are wanted.
enum TextEncodings {
    /// Loads those that an SVG may be written in.
    static func open() {
        for name in SVGProlog.readable.sorted() { cxml_keep_encoding(name) }
    }
}
