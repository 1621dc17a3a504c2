/// Where the bodies of downloads are written, and where the first parts of interrupted ones are kept.
struct BodyFiles: Sendable {
    let temporary: TemporaryFolder
    private let partials: InterruptedStore

    init(temporary: TemporaryFolder, partials: InterruptedStore) {
        self.temporary = temporary
        self.partials = partials
    }

    /// A writer of a new file, which has no name if its bytes must not be stored.
    func newWriter(isNoStore: Bool) throws(FetchError) -> BlobWriter {
        try temporary.newWriter(isNoStore: isNoStore)
    }

    /// The store of the first parts of interrupted downloads of a target; nil if none are kept.
    func partials(for target: LoadTarget) -> InterruptedStore? {
        target.request.method == .get && !target.request.memoryOnly ? partials : nil
    }
}
