internal import SystemPackage

/// Stores of other machines that get what this machine had already.
extension Levels {
    private var filled: [RemoteLevel] {
        lower.compactMap { $0 as? RemoteLevel }.filter { $0.mode == .fill }
    }

    /// Whether there is such a store.
    var isFilling: Bool { !filled.isEmpty }

    /// Fills the stores with a resource that was used without a request.
    func fill(_ resource: Resource, for target: LoadTarget) async {
        let (filled, request) = (self.filled, target.request)
        guard !filled.isEmpty, ![.network, .revalidated].contains(resource.origin),
            request.method == .get, target.isPlain, !request.memoryOnly, resource.hasBody,
            resource.gone == nil, resource.isForOthers
        else { return }
        for level in filled {
            await level.fill(LevelResponse(resource), blobAt: resource.path)
        }
    }

    /// Fills the stores with a variant that was found.
    func fill(_ row: VariantRow, for key: VariantKey, at path: String) async {
        for level in filled {
            await level.fill(LevelVariant(row, key), blobAt: FilePath(path))
        }
    }
}

extension LevelResponse {
    fileprivate init(_ resource: Resource) {
        self.init(
            key: resource.key, url: resource.url, finalURL: resource.finalURL,
            digest: resource.digest, byteCount: resource.byteCount, mediaType: resource.mediaType,
            response: resource.response, isFromPublicAddress: resource.isFromPublicAddress)
    }
}
