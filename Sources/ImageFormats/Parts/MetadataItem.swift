/// An item of an AVIF with EXIF or XMP, which can be replaced by a block that is not longer.
package struct MetadataItem {
    package enum Kind { case exif, xmp }

    package let kind: Kind
    /// The place of the item's type.
    package let type: Range<Int>
    /// The place of its content.
    package let content: Range<Int>
}
