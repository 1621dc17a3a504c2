extension FetchCache {
    /// What variants that transforms made are stored under, in the place of an encoder.
    private static let encoder = "transform"

    /// What a transform makes of a resource; made once, whoever asks and however often.
    func transformed(_ source: Resource, by transform: Transform) async throws -> Resource {
        let digest = source.digest
        let key = "\(digest) \(transform.identity)"
        let made: StoredVariant
        if let stored = try variant(of: digest, recipe: transform.identity, encoder: Self.encoder) {
            made = stored
        } else {
            made = try await transforms.value(for: key) {
                let output = try self.temporaryFile()
                do {
                    try await transform.apply(source, output)
                } catch {
                    FileSystem.remove(output)
                    throw error
                }
                let type = MediaTypeSniffer.type(ofFileAt: output) ?? source.mediaType
                return try await self.storeVariant(
                    fileAt: output, of: digest, recipe: transform.identity, encoder: Self.encoder,
                    metadata: type.rawValue)
            }
        }
        var resource = source
        resource.digest = made.digest
        resource.path = made.path
        resource.byteCount = made.byteCount
        resource.mediaType = MediaType(rawValue: made.metadata)
        return resource
    }
}
