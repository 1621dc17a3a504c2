import Documents
import FetchCache

/// How many images of a document are loaded before others: about as many as are seen first.
private let firstImageCount = 3

/// When the images of a document are loaded.
///
/// High is the priority of those that the document marks so, and of its first images; low of those
/// that it marks so, as with `loading="lazy"`. An image that is named several times has the highest
/// of its priorities.
///
/// - Parameter references: In the order of the document.
/// - Returns: A priority for each image.
func loadPriorities(
    _ references: some Sequence<
        (image: ImageSource, role: Reference.Role, urgency: Reference.Urgency?)
    >
) -> [ImageSource: FetchRequest.Priority] {
    var priorities: [ImageSource: FetchRequest.Priority] = [:]
    var firstImages: Set<ImageSource> = []
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
    /// Whether an image at the beginning of the document is one that readers see at once.
    fileprivate var isSeenFirst: Bool {
        switch self {
        case .content, .background, .poster, .preload: true
        case .icon, .social, .enclosure: false
        }
    }
}
