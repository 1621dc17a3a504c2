/// A `<picture>` around an `<img>`, in one of the two forms in which a rewrite adds it.
///
/// Its tags are no part of the outline's blocks: they are slots. So the outline of a page with such
/// a picture is that of the page without it, and the slots of the picture.
///
/// A rule such as `* { padding: 1px }` would give the picture and its sources boxes, so their
/// `display` is stated. The number of open elements after the picture must be that before it, so
/// all that follows has the same parents.
struct AddedPicture {
    /// How it and its sources say that they have no box.
    enum Form: CaseIterable {
        /// In `style` attributes.
        case style
        /// By classes of ``AddedSheet``.
        case classes

        var startTag: String {
            switch self {
            case .style: #"<picture style="display:contents">"#
            case .classes: "<picture class=\"\(AddedSheet.pictureClass)\">"
            }
        }

        /// The first attribute of a source.
        ///
        /// Without it, sources would be items of a flexible box or a grid around the picture.
        var sourceAttribute: (name: String, value: String) {
            switch self {
            case .style: ("style", "display:none")
            case .classes: ("class", AddedSheet.sourceClass)
            }
        }
    }

    static let endTag = "</picture>"
    private static let mostSources = 8

    let form: Form
    /// The offset of the tag of the image.
    let image: Int
    /// The offset of the end tag.
    let end: Int
    /// The number of open elements with this one.
    var depth = 0

    /// Reads the picture that a tag begins; nil if it has another form.
    init?(_ tag: HTMLTag, in bytes: UnsafeBytes) {
        guard tag.element == .picture, !tag.isEnd,
            let form = Form.allCases.first(where: {
                bytes[tag.range].elementsEqual($0.startTag.utf8)
            })
        else { return nil }
        self.form = form
        var tokenizer = HTMLTokenizer(isGuided: true)
        var position = tag.range.upperBound
        var count = 0
        while case .tag(let next)? = tokenizer.next(in: bytes, from: &position), !next.isEnd {
            if next.element == .source, !next.isSelfClosing, count < Self.mostSources,
                Self.isAdded(tokenizer.attributes, in: bytes, optional: ["sizes"])
            {
                count += 1
                continue
            }
            let rest = bytes[next.range.upperBound...].prefix(Self.endTag.utf8.count)
            guard next.element == .img, count > 0, rest.elementsEqual(Self.endTag.utf8) else {
                return nil
            }
            (image, end) = (next.range.lowerBound, next.range.upperBound)
            return
        }
        return nil
    }

    /// Whether a source has the attributes of a new one, in their order.
    static func isAdded(
        _ attributes: [HTMLAttribute], in bytes: UnsafeBytes, optional: Set<String>
    ) -> Bool {
        let names = attributes.map { String(decoding: bytes[$0.name], as: UTF8.self) }
        let forms = Form.allCases.map { $0.sourceAttribute.name }
        guard let first = names.first, forms.contains(first) else { return false }
        let required: Set = ["type", "srcset"]
        return Array(names.dropFirst())
            == ["type", "media", "srcset", "sizes", "width", "height"].filter {
                required.contains($0) || optional.contains($0) && names.contains($0)
            }
    }

    /// Whether the start tag of such a picture ends at an offset.
    static func isStarted(at end: Int, of bytes: UnsafeBytes) -> Bool {
        Form.allCases.contains { form in
            let tag = form.startTag.utf8
            return bytes[..<end].suffix(tag.count).elementsEqual(tag)
        }
    }

    /// The value of the slot for the tag of a source.
    ///
    /// - Parameters:
    ///   - attributes: The names and values of its attributes; nil for a value with a slot of its
    ///     own.
    ///   - isInPicture: Whether the element is a child of the picture.
    /// - Returns: The value.
    static func slotValue(
        of attributes: [(name: [UInt8], value: [UInt8]?)], isInPicture: Bool
    ) -> [UInt8] {
        // Names and values of attributes contain no NUL.
        attributes.reduce([isInPicture ? 1 : 2, 0]) { value, attribute in
            value + attribute.name + [0] + (attribute.value.map { [1] + $0 } ?? []) + [0]
        }
    }

    /// The beginning of the slot for the size of an image that has such a picture.
    static func mark(_ form: Form, isInPicture: Bool) -> [UInt8] {
        switch form {
        case .style: [isInPicture ? 2 : 3]
        case .classes: [isInPicture ? 4 : 5]
        }
    }
}

// The walk over a picture.
extension HTMLWalk {
    /// Begins a picture, if the tag does, before tree construction reads the tag.
    mutating func beginPicture(_ tag: HTMLTag) -> AddedPicture? {
        guard isDescribed, picture == nil else { return nil }
        return AddedPicture(tag, in: bytes)
    }

    /// Leaves the tags of a picture out of the blocks, once its element is open.
    mutating func openPicture(_ added: AddedPicture, at tag: HTMLTag) {
        picture = added
        picture?.depth = tree.open.count
        skip(tag.range.lowerBound..<added.image)
    }

    /// Ends the picture, after tree construction has read its end tag.
    // Inlined, because each end tag calls it.
    @inline(__always)
    mutating func endPicture(at tag: HTMLTag) {
        guard let open = picture, open.end == tag.range.lowerBound else { return }
        picture = nil
        skip(tag.range)
        // Otherwise all that follows would have another parent.
        if tree.open.count != open.depth - 1 { markAsBroken() }
    }

    /// Whether a tag is that of a source of the picture.
    // Inlined, because a call would copy the walk.
    @inline(__always)
    func isSourceOfPicture(_ tag: HTMLTag) -> Bool {
        picture.map { tag.range.lowerBound < $0.image } ?? false
    }

    /// The mark of an image in a picture; none for another image.
    // Inlined, because a call would copy the walk.
    @inline(__always)
    func pictureMark(of view: HTMLTagView) -> [UInt8] {
        guard let picture, picture.image == view.tag.range.lowerBound else { return [] }
        return AddedPicture.mark(picture.form, isInPicture: view.isInPicture)
    }

    /// The slot for the tag of a source, besides those of its attributes.
    func sourceSlot(
        of view: HTMLTagView, _ attributes: [HTMLAttribute], line: Int
    ) -> HTMLSlot {
        let named = attributes.map { attribute in
            let isSlot = view.isNamed("type", attribute) || view.isNamed("srcset", attribute)
            return (
                name: Array(bytes[attribute.name]),
                value: isSlot ? nil : Array(bytes[attribute.value])
            )
        }
        return HTMLSlot(
            sizeValue: AddedPicture.slotValue(of: named, isInPicture: view.isInPicture), line: line)
    }
}

extension Replacement.Responsive.Source {
    fileprivate var form: AddedPicture.Form { isStyledByClass ? .classes : .style }
}

extension RewritePlan {
    /// A new `<source>`: its text, and what the output must have of it.
    struct NewSource {
        let text: String
        let slots: [Outline.Slot]

        init(_ source: Replacement.Responsive.Source, line: Int) {
            let first = source.form.sourceAttribute
            var text = "<source \(first.name)=\"\(first.value)\" type=\"\(source.mediaType)\""
            let type = Array(source.mediaType.utf8)
            let typeSlot = Outline.Slot(
                value: type,
                pieces: [Outline.Piece(range: 0..<type.count)], line: line)
            var attributes: [(name: [UInt8], value: [UInt8]?)] = [
                (Array(first.name.utf8), Array(first.value.utf8)), (Array("type".utf8), nil),
            ]
            func add(_ name: String, _ value: String?) {
                guard let value else { return }
                text += " \(name)=\"\(value)\""
                attributes.append((Array(name.utf8), Array(value.utf8)))
            }
            add("media", source.media)
            let srcset = NewAttributes.srcset(source.candidates, line, &text)
            attributes.append((Array("srcset".utf8), nil))
            add("sizes", source.sizes)
            add("width", source.width)
            add("height", source.height)
            self.text = text + ">"
            let tag = AddedPicture.slotValue(of: attributes, isInPicture: true)
            slots = [typeSlot, srcset, Outline.Slot(value: tag, pieces: [], line: line)]
        }
    }

    /// Puts an image into a new `<picture>`.
    mutating func addPicture(
        _ sources: [Replacement.Responsive.Source], at place: EditPoint.Size, _ node: Int
    ) {
        guard let element = place.element, let form = sources.first?.form else { return }
        let new = sources.map { NewSource($0, line: expected[place.slot].line) }
        let (start, end) = (element.lowerBound, element.upperBound)
        let text = form.startTag + new.map(\.text).joined()
        builder.add(Splice(range: start..<start, text: text), to: node)
        builder.add(Splice(range: end..<end, text: AddedPicture.endTag), to: node)
        builder.add(smaller: sources.flatMap(\.candidates).map(\.url), to: node)
        preceding[place.slot - place.slotsBefore] = new.flatMap(\.slots)
        let mark = AddedPicture.mark(form, isInPicture: true)
        expected.change(place.slot) { $0.value.insert(contentsOf: mark, at: 0) }
    }

    /// Puts new sources before a member of a `<picture>` of the author.
    mutating func addSources(
        _ sources: [Replacement.Responsive.Source], at place: EditPoint.Member, _ node: Int
    ) {
        let new = sources.map { NewSource($0, line: expected[place.firstSlot].line) }
        let text = new.map(\.text).joined()
        builder.add(Splice(range: place.offset..<place.offset, text: text), to: node)
        builder.add(smaller: sources.flatMap(\.candidates).map(\.url), to: node)
        preceding[place.firstSlot] = new.flatMap(\.slots)
    }
}
