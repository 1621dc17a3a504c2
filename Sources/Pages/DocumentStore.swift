package import Documents
package import FetchCache
package import Pictures
import Records
package import Reports

/// The result of an earlier bake for a document: its images and its edits.
///
/// As long as the document's bytes and the plan are the same and each URL gives the same source,
/// the edits are the same too. The document need not be parsed then.
package struct BakedDocument: Remembered, Equatable {
    /// The number of references in the document that a bake has to handle.
    package var referenceCount = 0
    package var images: [BakedImage] = []
    package var edits: [Edit] = []
    /// The images that get fewer files than the options ask for.
    package var kept = KeptImages()

    /// Whether it must not be remembered, because an image must not be stored.
    package var isNoStore: Bool { images.contains(where: \.isNoStore) }

    package var isPossible: Bool {
        (0...Int(Int32.max)).contains(referenceCount) && images.allSatisfy(\.isPossible)
            && edits.allSatisfy(\.isPossible) && kept.isPossible
    }
}

extension Edit {
    /// Whether a bake can have made this edit; what the cache has may be anything.
    fileprivate var isPossible: Bool {
        splices.allSatisfy { splice in
            splice.offset >= 0 && splice.length >= 0
                && !splice.offset.addingReportingOverflow(splice.length).overflow
        }
            && images.allSatisfy { image in
                splices.indices.contains(image.splice)
                    && image.offset.map { (0...splices[image.splice].text.utf8.count).contains($0) }
                        ?? true
            }
    }
}

/// The results of earlier bakes, by the bytes and the plan of the document.
package struct DocumentStore: Sendable {
    package struct Key: Sendable {
        /// The SHA-256 of the document's bytes, in hexadecimal.
        var digest: String
        /// Everything that affects the splices, except the document's bytes and the sources.
        var plan: String
        /// See ``Programs/build``.
        var build: String

        package init(digest: String, plan: String, build: String) {
            self.digest = digest
            self.plan = plan
            self.build = build
        }

        fileprivate var text: String { digest + "|" + plan }
    }

    private let memory: Memory<BakedDocument>

    package init(cache: FetchManager) { memory = Memory(of: "documents", in: cache) }

    package func recall(_ key: Key) async throws(FetchError) -> BakedDocument? {
        try await memory.value(key.text, of: key.build)
    }

    /// Stores a result; if an image must not be stored, an earlier result is removed.
    package func remember(_ document: BakedDocument, _ key: Key) async throws(FetchError) {
        if document.isNoStore { return try await memory.remove([key.text]) }
        try await memory.set([key.text: document], of: key.build)
    }
}
