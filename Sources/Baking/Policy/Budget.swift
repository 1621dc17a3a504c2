import FetchCache
import Pictures
import Reports

/// The largest sizes of published images.
package struct Budget: Hashable, Sendable {
    /// The bytes of all images of a page together; nil, the default, for any.
    package var page: Int?
    /// The bytes of one image; nil, the default, for any.
    package var image: Int?

    package init() {}

    /// Whether the images of one document are within the budget.
    func holds(_ images: [BakedImage]) -> Bool {
        images.allSatisfy { $0.byteCount <= image ?? .max } && total(images) <= page ?? .max
    }

    /// The bytes of different files; one that is named twice is loaded once.
    private func total(_ images: [BakedImage]) -> Int {
        Dictionary(images.map { ($0.fileName, $0.byteCount) }, uniquingKeysWith: { $1 })
            .values.reduce(0, +)
    }

    /// The diagnostics about the images of one document.
    ///
    /// - Parameters:
    ///   - uses: The images and their places.
    ///   - document: The name of the document in messages.
    /// - Returns: One for each image that is too large, and one for the document.
    func diagnostics(_ uses: [ImageUse], in document: String) -> [Diagnostic] {
        let images = uses.map(\.image)
        var diagnostics = uses.compactMap { use -> Diagnostic? in
            guard let image, use.image.byteCount > image else { return nil }
            let problem = Problem(
                .imageOverBudget,
                "the image has \(use.image.byteCount.asBytes), more than the budget of "
                    + image.asBytes)
            return Diagnostic(problem, .error, at: use.place, url: use.image.url)
        }
        if let page, total(images) > page {
            let count = Set(images.map(\.fileName)).count
            let problem = Problem(
                .pageOverBudget,
                "its \(count) images have \(total(images).asBytes), more than the budget of "
                    + page.asBytes)
            diagnostics.append(Diagnostic(problem, .error, at: Diagnostic.Place(document)))
        }
        return diagnostics
    }
}
