import DocumentSyntax
package import StyleSizing

/// A `<picture>` of the author, to which sources can be added.
package struct AuthorPicture: Sendable {
    /// A `<source>` or the `<img>`, as far as a source in another format repeats it.
    package struct Member: Sendable, Hashable {
        /// The decoded values; nil for attributes that it lacks.
        package var media: String?
        package var type: String?
        package var sizes: String?
        /// The width and height, which decide the box of the image.
        package var width: String?
        package var height: String?
        package var isImage: Bool
        /// Whether it has a `srcset`.
        package var hasSet: Bool
    }

    /// The place of a reference in the pictures of a page.
    package struct Place: Sendable, Hashable {
        /// The index in ``Extraction/pictures``.
        package var picture: Int
        /// The index in ``members``.
        package var member: Int

        package init(picture: Int, member: Int) {
            self.picture = picture
            self.member = member
        }
    }

    /// In the order of the document, up to the `<img>`.
    package private(set) var members: [Member] = []
    /// The `<img>` as style sheets see it; nil until there is one.
    package private(set) var image: StyledElement?
    /// Whether it has an element whose files scripts choose, or which is not in order.
    package private(set) var isIrregular = false
    /// The element, as the parent of its members.
    fileprivate let element: StyledElement

    fileprivate init(_ element: StyledElement) { self.element = element }

    fileprivate mutating func add(_ member: Member, _ image: StyledElement?, isPlain: Bool) {
        // An element after the image chooses no file for it.
        if !isPlain || self.image != nil { isIrregular = true }
        members.append(member)
        self.image = self.image ?? image
    }
}

// The walk over a picture of the author.
extension HTMLWalk {
    /// Adds a child of a `<picture>` that names images, with the slots of its attributes.
    mutating func addMember(_ view: HTMLTagView, slots range: Range<Int>) {
        guard let parent = styledElements.innermost(of: tree.open, in: bytes),
            parent.name == "picture"
        else { return }
        if page.pictures.last?.element !== parent { page.pictures.append(AuthorPicture(parent)) }
        let isImage = view.name == .img
        let image =
            isImage
            ? StyledElement(
                name: "img", attributesFrom: view.tag.name.upperBound, in: bytes, parent: parent)
            : nil
        let names = range.compactMap { slots[$0].content.ownAttribute?.name }
        let last = page.pictures.count - 1
        let member = AuthorPicture.Member(
            media: view.text(of: "media"), type: view.text(of: "type"),
            sizes: view.text(of: "sizes"), width: view.text(of: "width"),
            height: view.text(of: "height"), isImage: isImage, hasSet: names.contains("srcset"))
        // An added picture has one form, which must stay that of no other.
        let isPlain =
            names.allSatisfy { $0 == "srcset" || isImage && $0 == "src" }
            && !AddedPicture.isStarted(at: view.tag.range.lowerBound, of: bytes)
        page.pictures[last].add(member, image, isPlain: isPlain)
        for slot in range {
            slots[slot].member = (
                AuthorPicture.Place(picture: last, member: page.pictures[last].members.count - 1),
                view.tag.range.lowerBound
            )
        }
    }
}
