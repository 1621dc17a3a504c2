import DocumentSyntax
import FoundationEssentials
import ImageFormats

/// The URL of another host that most likely names an image, in a place that is not read or cannot be
/// rewritten.
package struct UnreadImage: Sendable, Hashable {
    /// The kind of a place.
    package enum Place: Sendable, Hashable {
        /// A script. How it uses a URL is not known.
        case script
        /// An attribute that no rule knows, or on an element that a browser drops or has no rule.
        case attribute(element: String, attribute: String)
        /// The text of an element of XML that no rule knows.
        case element(String)
        /// A style sheet that CSS cannot be read from, or a value in it that is used elsewhere.
        case style
        /// A value of a JSON document, or of a file of data.
        case data
        /// A script or data whose bytes a page or a service worker states.
        case fixed
        /// A text that a script or data may join with paths of images.
        case beginning
        /// Front matter whose keys are not known to name images.
        case metadata
        /// Blocks of Markdown in another language, which the generator reads.
        case embedded
        /// Attributes, comments and settings of Markdown that other renderers than CommonMark read.
        case markdown
        /// A template expression in a generated page, `{{ … }}` or `${ … }`, whose value is computed
        /// in the browser.
        case template
        /// A template expression in a source, which the generator evaluates.
        case source
    }

    package var place: Place
    /// The offset of the URL, in bytes.
    package var offset: Int
    /// The URL without escapes.
    package var url: String
    /// Whether it is that of an image only if a document loads it.
    package var isGuess = false

    package init(_ place: Place, offset: Int, url: String) {
        self.place = place
        self.offset = offset
        self.url = url
    }

    init(_ place: Place, _ range: Range<Int>, in text: UnsafeBytes, at start: Int = 0) {
        self.init(place, offset: start + range.lowerBound, url: text.unescapedURL(range))
    }

    /// The images that a text of unknown language names, or a part of it.
    static func all(
        in text: UnsafeBytes, _ place: Place, in range: Range<Int>? = nil
    ) -> [UnreadImage] {
        text.imageURLs(in: range ?? 0..<text.count).map { UnreadImage(place, $0, in: text) }
    }
}

extension UnreadImage {
    /// The full URLs of a text: those of images, and the others, in no order.
    static func split(
        _ text: UnsafeBytes, _ place: Place
    ) -> (images: [UnreadImage], others: [UnreadImage]) {
        let images = Array(ImageURLs(in: text))
        let others = Set(ImageURLs(in: text, takesAll: true)).subtracting(images)
        return (
            images.map { UnreadImage(place, $0, in: text) },
            others.map { UnreadImage(place, $0, in: text) }
        )
    }

    /// The URLs of a text that name images, or may do so without looking like it.
    static func candidates(in text: UnsafeBytes, _ place: Place) -> [UnreadImage] {
        let (images, others) = split(text, place)
        let guesses = others.filter { $0.url.split(separator: "/").last?.contains(".") == false }
        return images
            + guesses.map { image in
                var image = image
                image.isGuess = true
                return image
            }
    }
}

/// The full URLs in a script or a file of data, each once, in order: those of images, and those that
/// are images only if a document loads them.
///
/// Those in a packed file have no place in it.
package func urls(inData file: [UInt8]) -> (images: [UnreadImage], others: [UnreadImage]) {
    let unpacked = unpackedText(file)
    let found = (unpacked ?? file).withUnsafeBufferPointer { UnreadImage.split($0, .data) }
    func placed(_ urls: [UnreadImage]) -> [UnreadImage] {
        unpacked == nil
            ? urls.ofEachPlace
            : urls.ofEachPlace.map { UnreadImage(.data, offset: 0, url: $0.url) }
    }
    return (placed(found.images), placed(found.others))
}

/// How gzip in base64 begins.
let packedStart = Array("H4sI".utf8)

/// The text of a file that Nuxt Content keeps its pages in, gzip in base64; nil for another file.
func unpackedText(_ file: [UInt8]) -> [UInt8]? {
    let most = 32 << 20
    guard file.starts(with: packedStart),
        let packed = Data(base64Encoded: Data(file.reversed().drop { $0.isHTMLSpace }.reversed()))
    else { return nil }
    return Gzip.beginning(of: Array(packed), most: most)
}

/// Whether a URL is that of an image by its path.
package func isImageByPath(_ url: String) -> Bool {
    Array(url.utf8).withUnsafeBufferPointer(hasImageExtension)
}

extension UnreadImage.Place: CustomStringConvertible {
    /// A message about an image in such a place, in one clause.
    package var description: String {
        switch self {
        case .script: "a script names this image of another host"
        case .attribute(let element, let attribute):
            "<\(element) \(attribute)> names this image of another host and is not read"
        case .element(let name):
            "<\(name)> names this image of another host and is not read"
        case .style: "a style sheet names this image of another host in a value that is not read"
        case .data: "data names this image of another host"
        case .fixed:
            "a page or a service worker states the hash or revision of this file, so an image of "
                + "another host that it names stays"
        case .beginning: "a script or data joins this with the paths of images, which stay remote"
        case .metadata:
            "front matter names this image of another host in a key that is not known"
        case .embedded: "a block in another language names this image of another host"
        case .markdown: "an attribute or a setting names this image of another host"
        case .template:
            "a template computes this URL in the browser, so the image cannot be fetched"
        case .source:
            "a template computes this URL when the site is built, so the image cannot be fetched "
                + "before"
        }
    }
}

extension [UnreadImage] {
    /// Marks those that JSON has amid a text, which pages show as it is: in an index for search, say.
    mutating func markTexts(in text: UnsafeBytes) {
        let signs = ["\"", "'", "=", ";", "url(", "u0022", "u0027", "u003d"].map(\.utf8)
        for index in indices {
            let before = text[..<self[index].offset]
            self[index].isGuess = !signs.contains { before.suffix($0.count).elementsEqual($0) }
        }
    }

    /// The most that are told of one document.
    private static var mostInDocument: Int { 1_000 }

    /// The first of those with one URL in each kind of place, in order.
    package var ofEachPlace: [UnreadImage] {
        if isEmpty { return [] }
        var seen: Set<UnreadImage> = []
        let inOrder = sorted { $0.offset < $1.offset }.filter { one in
            var key = one
            key.offset = 0
            return seen.insert(key).inserted
        }
        return Array(inOrder.prefix(Self.mostInDocument))
    }
}
