import DocumentSyntax
import StyleSizing

/// The `<picture>` around an `<img>` and the sources that a rewrite adds.
///
/// A rule such as `* { padding: 1px }` would give the picture and its sources boxes, so their
/// `display` is stated. Browsers read the picture as they read the image: neither closes an element
/// nor belongs into a head, and both have the same parent. So all that follows has the same parents
/// too.
enum AddedPicture {
    /// How it and its sources say that they have no box.
    private enum Form: CaseIterable {
        /// In `style` attributes.
        case style
        /// By classes of ``AddedSheet``.
        case classes

        var startTag: NewTag {
            let attribute =
                switch self {
                case .style: NewAttribute("style", "display:contents")
                case .classes: NewAttribute("class", AddedSheet.pictureClass)
                }
            return NewTag(name: "picture", attributes: [attribute])
        }

        /// The first attribute of a source.
        ///
        /// Without it, sources would be items of a flexible box or a grid around the picture.
        var sourceAttribute: NewAttribute {
            switch self {
            case .style: NewAttribute("style", "display:none")
            case .classes: NewAttribute("class", AddedSheet.sourceClass)
            }
        }
    }

    static let endTag = NewTag(name: "picture", isEnd: true)

    /// The tags before the image, of which there is at least one source.
    static func tagsBefore(_ sources: [Replacement.Responsive.Source]) -> [NewTag] {
        let form: Form = sources.first?.isStyledByClass == true ? .classes : .style
        return [form.startTag] + sources.map(tag)
    }

    /// The tag of a source.
    static func tag(_ source: Replacement.Responsive.Source) -> NewTag {
        let form: Form = source.isStyledByClass ? .classes : .style
        var tag = NewTag(
            name: "source",
            attributes: [form.sourceAttribute, NewAttribute("type", source.mediaType)])
        func add(_ name: String, _ value: String?) {
            if let value { tag.attributes.append(NewAttribute(name, value)) }
        }
        add("media", source.media)
        tag.attributes.append(NewAttribute("srcset", source.candidates))
        add("sizes", source.sizes)
        add("width", source.width)
        add("height", source.height)
        return tag
    }

    private static let startTags = Form.allCases.map { Array($0.startTag.text.utf8) }

    /// Whether the start tag of such a picture ends at an offset.
    static func isStarted(at end: Int, of bytes: UnsafeBytes) -> Bool {
        startTags.contains { bytes[..<end].suffix($0.count).elementsEqual($0) }
    }
}

extension RewritePlan {
    /// Puts an image into a new `<picture>`.
    mutating func addPicture(
        _ sources: [Replacement.Responsive.Source], at place: EditPoint.Size, slot: Int, _ node: Int
    ) {
        guard let element = place.element else { return }
        let tags = AddedPicture.tagsBefore(sources)
        let (start, end) = (element.lowerBound, element.upperBound)
        builder.add(
            Splice(range: start..<start, text: tags.map(\.text).joined()), to: node)
        builder.add(Splice(range: end..<end, text: AddedPicture.endTag.text), to: node)
        builder.add(smaller: sources.flatMap(\.candidates).map(\.url), to: node)
        newMarkup[slot, default: NewMarkup()].tagsBefore = tags
        newMarkup[slot, default: NewMarkup()].tagsAfter = [AddedPicture.endTag]
    }

    /// Puts new sources before a member of a `<picture>` of the author.
    mutating func addSources(
        _ sources: [Replacement.Responsive.Source], before tag: Int, slot: Int, _ node: Int
    ) {
        let new = sources.map(AddedPicture.tag)
        builder.add(Splice(range: tag..<tag, text: new.map(\.text).joined()), to: node)
        builder.add(smaller: sources.flatMap(\.candidates).map(\.url), to: node)
        newMarkup[slot, default: NewMarkup()].tagsBefore = new
    }
}
