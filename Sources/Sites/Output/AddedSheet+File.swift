import Documents
package import FetchCache

/// The file of the style sheet in the image folder.
extension AddedSheet {
    package static let bytes = Array(text.utf8)
    package static let digest = BlobDigest(hashing: bytes)
    /// Named as images are, so that whatever handles these handles it too.
    package static let fileName = "imgbake-\(digest.hex.prefix(16)).css"
}

extension [Edit] {
    /// Whether the document needs the style sheet after these edits.
    package var useSheet: Bool {
        contains { edit in edit.smaller.contains { $0.hasSuffix(AddedSheet.fileName) } }
    }
}
