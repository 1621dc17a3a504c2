import DocumentSyntax
package import StyleSizing

/// An `<img>` of a page whose `src` is the only image that it names.
package final class ImageElement: Sendable {
    /// Its number among the `<img>` elements of the page, from 0.
    package let number: Int
    /// The text of its attributes; nil for those that it lacks.
    package let attributes: ImageTagAttributes
    /// Its attribute `name`, by which scripts can find it.
    package let name: String?
    /// Whether `fetchpriority` is `high`.
    package let isUrgent: Bool
    /// Whether an attribute `border` or a similar one adds to its box.
    package let hasEdge: Bool
    /// Whether it has an attribute `style`.
    package let hasStyle: Bool
    /// Whether it has an attribute `class`.
    package let hasClass: Bool
    /// Whether it can be put into a `<picture>`, as far as HTML is concerned.
    package let takesPicture: Bool
    /// The element as style sheets see it.
    package let styled: StyledElement

    init(
        number: Int, attributes: ImageTagAttributes, name: String?, isUrgent: Bool,
        hasEdge: Bool, hasStyle: Bool, hasClass: Bool, takesPicture: Bool, styled: StyledElement
    ) {
        self.number = number
        self.attributes = attributes
        self.name = name
        self.isUrgent = isUrgent
        self.hasEdge = hasEdge
        self.hasStyle = hasStyle
        self.hasClass = hasClass
        self.takesPicture = takesPicture
        self.styled = styled
    }
}

extension ImageElement: Hashable {
    package static func == (one: ImageElement, other: ImageElement) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The attributes of an `<img>` that a rewrite may add, besides `srcset`.
package struct ImageTagAttributes: Sendable, Hashable {
    package var width: String?
    package var height: String?
    package var sizes: String?
    package var loading: String?
    package var decoding: String?
    /// Only in one of the forms of ``LoadingStyle``.
    package var style: String?
    /// The `class`, only if it is that of a colour of ``AddedSheet``.
    package var className: String?
}

/// What a page states besides its images.
struct PageFacts {
    /// The first `<base>` that has an `href`.
    var base: (href: String, offset: Int)?
    /// The style sheets of an HTML page, if images are described.
    var styles: PageStyles?
    /// The pictures of the author, if images are described.
    var pictures: [AuthorPicture] = []
    /// The end tag of the head, if it is written and images are described.
    var headEnd: HeadEnd?
}

/// The style sheets of a page, and what else in it decides about all its images.
package struct PageStyles: Sendable, Hashable {
    /// The rules in its `<style>` elements.
    package var rules: [SizingRules] = []
    /// The style sheets that it links to.
    package var links: [SheetLink] = []
    /// The Content Security Policy in the page.
    package var policy = ContentPolicy()
    /// The scripts in the page.
    package var scripts = SourceScripts()
    /// The names of elements with a shadow tree in the page: it lays out what is in them.
    package var hosts: Set<String> = []
}

/// A link to a style sheet.
package struct SheetLink: Sendable, Hashable {
    package var url: String
    /// Whether the sheet applies on every screen, without a script.
    package var isUnconditional: Bool

    package init(url: String, isUnconditional: Bool) {
        self.url = url
        self.isUnconditional = isUnconditional
    }
}

/// The attributes of an `<img>` that a rewrite may add, and those that decide whether it may.
struct ImageSize {
    private(set) var attributes = ImageTagAttributes()
    /// Whether a style or `srcset` descriptors may decide the size.
    private var isDecidedElsewhere = false
    /// Whether a `srcset` and the like may be added, and not only a size.
    private let isDescribed: Bool

    init(isDescribed: Bool) { self.isDescribed = isDescribed }

    /// Reads an attribute, and returns whether it is one that may be added.
    mutating func read(_ attribute: HTMLAttribute, of image: HTMLTagView) -> Bool {
        guard let path = image.addable(attribute, isDescribed: isDescribed) else {
            if image.isNamed("style", attribute) || image.hasWidthDescriptors(attribute) {
                isDecidedElsewhere = true
            }
            return false
        }
        attributes[keyPath: path] = String(decoding: image.value(of: attribute), as: UTF8.self)
        return true
    }

    var isUnknown: Bool {
        attributes.width == nil && attributes.height == nil && !isDecidedElsewhere
    }
}

extension HTMLTagView {
    /// The attribute of an `<img>` that a rewrite may add; nil if it is another one.
    func addable(
        _ attribute: HTMLAttribute, isDescribed: Bool
    ) -> WritableKeyPath<ImageTagAttributes, String?>? {
        if isNamed("width", attribute) { return \.width }
        if isNamed("height", attribute) { return \.height }
        guard isDescribed else { return nil }
        if isNamed("sizes", attribute) { return \.sizes }
        if isNamed("loading", attribute) { return \.loading }
        if isNamed("decoding", attribute) { return \.decoding }
        if isNamed("style", attribute) {
            return LoadingStyle.isAdded(Array(value(of: attribute))) ? \.style : nil
        }
        let isAdded =
            isNamed("class", attribute) && AddedSheet.isColourClass(value(of: attribute))
        return isAdded ? \.className : nil
    }

    /// Whether the attribute is a `srcset`, or a script's equivalent, with `w` descriptors.
    fileprivate func hasWidthDescriptors(_ attribute: HTMLAttribute) -> Bool {
        guard bytes.matches("set", at: attribute.name.upperBound - 3),
            HTMLAttributeRules(UnsafeBytes(rebasing: bytes[attribute.name])).first(where: {
                $0.syntax == .srcset && $0.elements.contains(.img)
            }) != nil
        else { return false }
        let value = value(of: attribute)
        return Srcset(value).contains { candidate in
            value[candidate.descriptors].last?.lowercased == UInt8(ascii: "w")
        }
    }
}

/// The scripts in a page that may give images other files.
///
/// A `srcset` would hide the file that a script names in `src`. Which images a script means is not
/// known, and neither is what it does with a `src`. So each image counts whose id, `name` or class a
/// script with this word has as words too.
package struct SourceScripts: Sendable, Hashable {
    /// The words of these scripts, in lower case.
    private var words: Set<String> = []

    /// Adds a script, or the value of an attribute such as `onclick`.
    mutating func add(_ script: [UInt8]) {
        guard script.withUnsafeBufferPointer({ $0.contains("src") }) else { return }
        let words = Self.words(in: String(decoding: script, as: UTF8.self).lowercased())
        if words.contains("src") || words.contains("srcset") { self.words.formUnion(words) }
    }

    /// Whether one of the scripts may mean an image.
    package func mayName(_ image: ImageElement) -> Bool {
        if words.isEmpty { return false }
        let names = [image.styled.id, image.name?.lowercased()].compactMap(\.self)
        return (names + image.styled.classes).contains { name in
            let parts = Self.words(in: name)
            return !parts.isEmpty && parts.allSatisfy { words.contains($0) }
        }
    }

    private static func words(in text: String) -> [String] {
        text.utf8.split { !isWord($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") || byte == .hyphen || byte >= 0x80
    }
}
