import FetchCache

@testable import Baking

/// The digest and the length of a file.
func contentDigest(of path: String) throws -> (digest: BlobDigest, byteCount: Int) {
    try hashFile(path)
}
