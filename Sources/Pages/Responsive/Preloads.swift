import Documents
import Sites

/// The images that the links of a page preload.
struct Preloads {
    private var known: [ImageLocation: Preload] = [:]

    /// - Parameters:
    ///   - references: The references of the page.
    ///   - source: Returns the image of a reference.
    init(_ references: References, source: (Reference) -> ImageLocation?) {
        guard references.contains(where: { $0.role == .preload }) else { return }
        var uses: [ImageLocation: [Reference]] = [:]
        for reference in references {
            if let source = source(reference) { uses[source, default: []].append(reference) }
        }
        for (source, uses) in uses where uses.contains(where: { $0.role == .preload }) {
            let links = uses.filter { $0.role == .preload }
            let others = uses.filter { $0.role != .preload }
            // The choice of a browser must be the same for the link and for all that show the image.
            let isCompleted =
                links.allSatisfy { $0.takesPreloadSet && $0.control == nil } && others.count == 1
                && others[0].image != nil && others[0].control == nil
            known[source] = isCompleted ? .completed : .ofOneFile
        }
    }

    func preload(of source: ImageLocation) -> Preload { known[source] ?? .none }
}
