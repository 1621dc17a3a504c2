package import Documents
package import FetchCache
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
        case .icon, .social, .enclosure: false
        }
    }
}
