import Documents
import FetchCache

/// The file of the style sheet in the image folder.
extension AddedSheet {
    static let bytes = Array(text.utf8)
    static let digest = BlobDigest(hashing: bytes)
    /// Named as images are, so that whatever handles these handles it too.
    static let fileName = "imgbake-\(digest.hex.prefix(16)).css"
}

extension [Edit] {
    /// Whether the document needs the style sheet after these edits.
    var useSheet: Bool {
        contains { edit in edit.smaller.contains { $0.hasSuffix(AddedSheet.fileName) } }
    }
}
