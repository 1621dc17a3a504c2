/// The key of a variant: equal keys give the same bytes.
struct VariantKey: Hashable, Sendable {
    var source: BlobDigest
    var recipe: String
    var encoder: String
}
