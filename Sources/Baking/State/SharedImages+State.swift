import Pictures
import Sites

extension SharedImages {
    /// Reads what the last bake of a site left behind.
    func state(
        of site: Site, at output: OutputFolder, key: String, _ programs: ProgramIdentity,
        isTrusted: Bool, now: @escaping @Sendable () -> Int64
    ) async -> BuildState {
        await BuildState(
            key: key, programs: programs, site: site, output: output, loader: pipeline.loader,
            published: pipeline.publisher.published,
            hasSheet: pipeline.publisher.hasSheet(), isTrusted: isTrusted, now: now)
    }

    /// Counts images that no document had to ask for, because nothing has changed.
    func count(unasked images: [StateImage]) {
        if images.isEmpty { return }
        let asked = Set(outcomes.keys.map(StateImage.Key.init))
        for image in images where !image.isSmaller && !asked.contains(image.key) {
            pipeline.count(image)
        }
    }
}

extension ImagePipeline {
    /// Counts an image of the last bake that no document had to ask for.
    fileprivate func count(_ image: StateImage) {
        tally.add(
            image.key.url, before: Int(image.sourceByteCount), after: Int(image.byteCount),
            quality: image.quality == 0 ? nil : Int(image.quality))
        tally.count(image.key.url, as: image.source == nil ? \Counts.cached : \Counts.local)
    }
}
