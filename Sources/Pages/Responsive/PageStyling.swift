import Documents
import Sites
import StyleSizing

/// How the elements of a page get the declarations of CSS that a bake adds.
enum PageStyling: Hashable, Sendable {
    /// In `style` attributes.
    case attributes
    /// By the classes of a style sheet with this URL, because a policy forbids `style` attributes.
    case classes(sheet: String)
    /// Not at all: a policy forbids both, or the page cannot get the style sheet unnoticed.
    case forbidden

    /// - Parameters:
    ///   - extraction: The page.
    ///   - policy: Its policy, with that of the site.
    ///   - rules: The rules of its style sheets; nil if one of them is not known.
    ///   - writer: Writes the URLs of the page.
    init(
        _ extraction: Extraction, _ policy: ContentPolicy, _ rules: [SizingRules]?,
        _ writer: ReferenceWriter
    ) {
        if policy.allowsStyleAttributes {
            self = .attributes
        } else if let sheet = Self.sheet(extraction, rules, writer),
            policy.allowsSheet(at: sheet, of: writer.address?.url)
        {
            self = .classes(sheet: sheet)
        } else {
            self = .forbidden
        }
    }

    /// The URL of the style sheet; nil if the page cannot be linked to it.
    private static func sheet(
        _ extraction: Extraction, _ rules: [SizingRules]?, _ writer: ReferenceWriter
    ) -> String? {
        guard let head = extraction.headEnd, let rules,
            !rules.contains(where: \.mayNoticeClasses),
            let image = extraction.references.first(where: { $0.image != nil || $0.member != nil })
        else { return nil }
        // That of another version has other classes.
        if let linked = head.sheet, bakedFileName(in: linked) != AddedSheet.fileName { return nil }
        // A base counts only for what follows it.
        if let base = extraction.baseOffset, base > head.offset { return nil }
        return writer.url(of: AddedSheet.fileName, at: image)
    }

    /// The URL of the style sheet; nil if it is not used.
    var sheet: String? {
        if case .classes(let sheet) = self { sheet } else { nil }
    }
}

/// The images that the links of a page preload.
///
/// A preload gets the files of its image only if one element shows it: both then choose by the same
/// widths and `sizes`. A link cannot know `auto`, which depends on the layout, nor the choice among
/// the sources of a `<picture>`, so such an image gets neither.
struct Preloads {
    private var known: [ImageLocation: Preload] = [:]

    /// - Parameters:
    ///   - references: The references of the page.
    ///   - source: Returns the image of a reference.
    init(_ references: References, source: (Reference) -> ImageLocation?) {
        guard references.contains(where: { $0.role == .preload }) else { return }
        for case (let source?, let uses) in Dictionary(grouping: references, by: source)
        where uses.contains(where: { $0.role == .preload }) {
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
