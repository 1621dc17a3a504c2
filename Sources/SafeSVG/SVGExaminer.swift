/// Decides for each part of an SVG whether it may be published.
///
/// It sees an SVG when that is made safe, and again when the result is judged. Everything that it
/// does not know is removed.
package struct SVGExaminer {
    /// The decision about an attribute or the content of a `<style>`.
    package enum Verdict: Equatable {
        case keep
        /// To write this; the phrase says what is removed with it, if anything is.
        case replace([UInt8], what: String?)
        /// To leave it out.
        case remove(what: String)
        /// To refuse the SVG: what is visible cannot be left out.
        case refuse(what: String)

        /// The reason why the bytes are not published unchanged; nil for ``keep``.
        var objection: String? {
            switch self {
            case .keep: nil
            case .replace(_, let what): what ?? "a value in another form than the canonical one"
            case .remove(let what), .refuse(let what): what
            }
        }

        /// What is lost by the decision; nil if that is nothing.
        package var removal: String? { if case .replace(_, nil) = self { nil } else { objection } }
    }

    package enum ElementVerdict {
        /// The verdicts on its attributes.
        case keep([Verdict])
        /// To leave it out with its content.
        case remove(what: String)
    }

    /// The attributes of the root by their names.
    package private(set) var rootAttributes: [String: String] = [:]
    private var depth = 0
    private var style: (depth: Int, text: [UInt8])?
    private var embedded: EmbeddedSVG
    private var graph = ReferenceGraph()
    private var styleURLs = 0
    private var styleLength = 0

    /// Whether the text that comes now belongs to a style sheet.
    package var isInStyle: Bool { style != nil }
    /// Whether the root was judged.
    package var isStarted: Bool { graph.count > 0 }

    /// - Parameter isInsideAnother: Whether the SVG is a picture of another.
    package init(isInsideAnother: Bool = false) {
        embedded = EmbeddedSVG(isInsideAnother: isInsideAnother)
    }

    /// Judges an element; the caller reports its content and its end unless it is removed.
    package mutating func start(_ element: XMLElement) throws(SVGError) -> ElementVerdict {
        if graph.count == 0, element.name.localName != "svg" {
            throw SVGError(.notSVG, "another root")
        }
        if let what = objection(to: element) {
            if graph.count == 0 { throw SVGError(.unsafe, what) }
            return .remove(what: what)
        }
        guard depth <= SVGLimits.deepest else {
            throw SVGError(.unsafe, "elements nested too deeply")
        }
        guard graph.count < SVGLimits.mostElements else {
            throw SVGError(.unsafe, "more than \(SVGLimits.mostElements) elements")
        }
        guard element.attributes.count <= SVGLimits.mostAttributes else {
            throw SVGError(.unsafe, "too many attributes")
        }
        var node = ReferenceGraph.Node(element.name.localName)
        var verdicts: [Verdict] = []
        for attribute in element.attributes {
            let reader = AttributeReader(attribute, of: element)
            let verdict = reader.verdict(&embedded, &node)
            if case .remove(let what) = verdict, reader.isTargetOfAnimation {
                // Without the name of its target, it would animate another attribute.
                return .remove(what: what)
            }
            verdicts.append(verdict)
            if graph.count == 0 {
                rootAttributes[attribute.name] = String(decoding: attribute.value, as: UTF8.self)
            }
        }
        depth += 1
        graph.enter(node)
        if element.name.localName == "style" { style = (depth, []) }
        return .keep(verdicts)
    }

    private func objection(to element: XMLElement) -> String? {
        guard element.name.isPlainName else { return "an element with an unclear name" }
        if style != nil { return "a <\(element.name.localName)> in <style>" }
        return SVGRules.objection(toElement: element)
    }

    package mutating func read(text: [UInt8]) throws(SVGError) {
        guard style != nil else { return }
        styleLength += text.count
        guard styleLength <= SVGLimits.longestStyles else {
            throw SVGError(
                .unsafe, "style sheets of more than \(SVGLimits.longestStyles >> 20) MiB")
        }
        style?.text += text
    }

    /// The content of the `<style>` that ends here, and the verdict on it; nil at other ends.
    package mutating func end() throws(SVGError) -> (text: [UInt8], verdict: Verdict)? {
        defer {
            depth -= 1
            graph.leave()
        }
        guard let style, style.depth == depth else { return nil }
        self.style = nil
        let (reader, verdict) = StyleReader.judged(style.text, .sheet, in: "<style>")
        if case .remove = verdict { return (style.text, verdict) }
        styleURLs += reader.urlCount
        guard styleURLs <= SVGLimits.mostStyleURLs else {
            throw SVGError(.unsafe, "more than \(SVGLimits.mostStyleURLs) URLs in style sheets")
        }
        graph.add(reader.uses)
        return (style.text, verdict)
    }

    /// Checks the document as a whole.
    package func finish() throws(SVGError) {
        if let what = graph.objection { throw SVGError(.unsafe, what) }
    }
}

/// The reason why an SVG is not read to its end.
package struct SVGError: Error {
    package enum Kind {
        /// It is not well-formed, or not in the form that is read.
        case malformed
        /// Its root is another element.
        case notSVG
        /// It could load something, or cost too much.
        case unsafe
    }

    package let kind: Kind
    /// A phrase that follows "the SVG has".
    package let what: String
    /// Nil for the line that the reader has reached.
    package let line: Int?

    package init(_ kind: Kind, _ what: String, line: Int? = nil) {
        self.kind = kind
        self.what = what
        self.line = line
    }
}

/// The bounds of one SVG; a normal one stays far below them.
package enum SVGLimits {
    /// The number of bytes.
    package static let longest = 16 << 20
    /// The depth of elements.
    package static let deepest = 200
    /// The number of elements.
    package static let mostElements = 200_000
    /// The number of elements to draw after each `<use>`, pattern, marker, mask and filter is
    /// replaced by its content.
    package static let mostInstances = 1_000_000
    /// The number of attributes of one element.
    package static let mostAttributes = 250
    /// The number of attributes of all elements.
    package static let mostAttributesInAll = 1_000_000
    /// The number of bytes of all style sheets.
    package static let longestStyles = 8 << 20
    /// The number of URLs in all style sheets.
    package static let mostStyleURLs = 10_000
    /// The number of bytes of a name.
    package static let longestName = 200
}

/// The pictures of an SVG that are SVG themselves, in a `data:` URL (RFC 2397).
///
/// Browsers run and load nothing in such a picture. It can stay if it would be safe on its own and
/// has no such picture itself.
struct EmbeddedSVG {
    /// The maximum number of bytes of one picture.
    static let longest = 256 << 10
    /// The maximum number of bytes of all pictures in a document.
    static let most = 1 << 20
    /// The beginning of each objection.
    static let phrase = "an embedded SVG"

    /// Whether the document is such a picture.
    let isInsideAnother: Bool
    private var total = 0

    init(isInsideAnother: Bool) { self.isInsideAnother = isInsideAnother }

    /// The objection to a picture, or nil.
    mutating func objection(to bytes: [UInt8]) -> String? {
        if isInsideAnother { return "\(Self.phrase) inside another" }
        guard bytes.count <= Self.longest else {
            return "\(Self.phrase) of more than \(Self.longest >> 10) KiB"
        }
        total += bytes.count
        guard total <= Self.most else {
            return "\(Self.phrase), and more than \(Self.most >> 20) MiB of them"
        }
        return SVGJudge.objection(to: bytes, isInsideAnother: true).map {
            "\(Self.phrase) with \($0.what)"
        }
    }
}
