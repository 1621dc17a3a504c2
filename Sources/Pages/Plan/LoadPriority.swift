package import Documents
package import FetchCache
package import Pictures
package import Sites

/// The number of images of a document that are loaded first: about as many as are visible at first.
private let firstImageCount = 3

/// The order in which the images of a document are loaded.
///
/// The first images have high priority, and so have images that the document marks as important.
/// Images that it marks as less urgent, for example with `loading="lazy"`, have low priority. An
/// image that is named several times has the highest of its priorities.
///
/// - Parameter references: In the order of the document.
/// - Returns: A priority for each image.
package func loadPriorities(
    _ references: some Sequence<
        (image: ImageLocation, role: Reference.Role, urgency: Reference.Urgency?)
    >
) -> [ImageLocation: FetchRequest.Priority] {
    var priorities: [ImageLocation: FetchRequest.Priority] = [:]
    var firstImages: Set<ImageLocation> = []
    for (image, role, urgency) in references {
        let priority: FetchRequest.Priority
        switch urgency {
        case .high: priority = .high
        case .low: priority = .low
        case nil:
            if role.isSeenFirst, firstImages.count < firstImageCount { firstImages.insert(image) }
            priority = firstImages.contains(image) ? .high : .normal
        }
        priorities[image] = max(priorities[image] ?? .low, priority)
    }
    return priorities
}

extension Reference.Role {
    /// Whether readers see the image at once if it is at the beginning of the document.
    fileprivate var isSeenFirst: Bool {
        switch self {
        case .content, .background, .poster, .preload: true
        default: false
        }
    }
}

extension SharedImages {
    /// Awaits the images of a document.
    ///
    /// - Parameters:
    ///   - requests: The requests for images, each once.
    ///   - remembered: Images of an earlier bake that may still be right.
    ///   - priorities: The order in which the images are loaded.
    /// - Returns: The outcomes, by their requests.
    /// - Throws: `CancellationError` if the bake was interrupted before all images were ready.
    package func outcomes(
        of requests: [ImageRequest], remembered: [ImageRequest: BakedImage] = [:],
        _ priorities: [ImageLocation: FetchRequest.Priority]
    ) async throws -> [ImageRequest: ImageOutcome] {
        try await withThrowingTaskGroup(of: (ImageRequest, ImageOutcome).self) { group in
            for image in requests {
                let priority = priorities[image.source] ?? .normal
                group.addTask {
                    let known = remembered[image]
                    return (image, await self.outcome(for: image, remembered: known, priority))
                }
            }
            var outcomes: [ImageRequest: ImageOutcome] = [:]
            var isStopped = false
            for try await (image, outcome) in group {
                if case .stopped = outcome { isStopped = true }
                outcomes[image] = outcome
            }
            // Not before the others are ready: images that were started are completed.
            if isStopped { throw CancellationError() }
            return outcomes
        }
    }
}
