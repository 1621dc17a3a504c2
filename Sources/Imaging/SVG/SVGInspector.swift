import Recipes

/// A part of an SVG that could run or load something.
struct SVGFinding {
    /// Its place, as the number of a parser node, counted from 1.
    enum Place: Hashable {
        case element(Int)
        case attribute(Int, String)
        /// The text of a `<style>` element.
        case style(Int)
        case instruction(Int)
    }

    let place: Place
    /// A phrase that follows "the SVG has".
    let what: String
    let line: Int
    /// Whether it is in CSS, the rest of which can stay.
    var isStyle = false
}

/// Finds everything that an SVG could run or load.
///
/// Everything that is not known to stay within the file is a finding. The text of a `<style>`
/// element is checked as a whole, because browsers join its pieces.
struct SVGInspector: ~Copyable {
    /// The maximum depth of elements.
    static let deepest = 200
    /// The maximum number of elements.
    static let mostElements = 200_000
    /// The maximum number of findings; more are not removed.
    static let mostFindings = 50_000

    private let reader: XMLReader
    private var elementCount = 0
    private var instructionCount = 0
    private var findings: [SVGFinding] = []
    /// The `<style>` element that contains the current node.
    private var style: (element: Int, depth: Int, line: Int, text: String)?
    private var embedded: EmbeddedSVG
    /// The attributes of the root, by their names.
    private var rootAttributes: [String: String] = [:]

    /// The result of an inspection.
    struct Result {
        let root: SVGRoot
        let findings: [SVGFinding]
    }

    /// - Throws: ``JobResult/Failure`` if the document is not an SVG, not well-formed or too complex.
    static func inspect(
        _ bytes: [UInt8], isEmbedded: Bool = false
    ) throws(JobResult.Failure) -> Result {
        guard let reader = XMLReader(bytes) else {
            throw JobResult.Failure(.outOfMemory, "the SVG does not fit in memory")
        }
        var inspector = SVGInspector(reader: reader, isEmbedded: isEmbedded)
        try inspector.run()
        return Result(root: SVGRoot(inspector.rootAttributes), findings: inspector.findings)
    }

    private init(reader: consuming XMLReader, isEmbedded: Bool) {
        self.reader = reader
        embedded = EmbeddedSVG(isInsideAnother: isEmbedded)
    }

    private mutating func run() throws(JobResult.Failure) {
        while true {
            switch reader.next() {
            case .element: try inspectElement()
            case .endOfElement: endStyle(at: reader.depth)
            case .text: style?.text += reader.value
            case .instruction: inspectInstruction()
            // The document type was removed, and with it all entities that a parser could know.
            case .entity: throw unsafe("an entity")
            case .other: break
            case .end: return
            case .error:
                throw JobResult.Failure(
                    .corrupt, "the SVG is not well-formed XML (line \(reader.parserLine))")
            }
            if findings.count > Self.mostFindings { throw unsafe("too much unsafe content") }
        }
    }

    private mutating func inspectElement() throws(JobResult.Failure) {
        let name = reader.name.localName
        if elementCount == 0 && name != "svg" {
            throw JobResult.Failure(.unsupported, "the file is XML, but not SVG")
        }
        elementCount += 1
        if elementCount > Self.mostElements {
            throw unsafe("more than \(Self.mostElements) elements")
        }
        let depth = reader.depth
        if depth > Self.deepest { throw unsafe("elements nested too deeply") }
        let element = SVGFinding.Place.element(elementCount)
        if style != nil { add(element, "a <\(name)> in <style>") }
        if let what = SVGRules.objection(toElement: name, in: reader.namespace) {
            add(element, what)
        }
        // An empty element has no end node.
        if name == "style", style == nil, !reader.isEmptyElement {
            style = (elementCount, depth, reader.line, "")
        }
        inspectAttributes(of: name, element)
    }

    private mutating func inspectAttributes(of name: String, _ element: SVGFinding.Place) {
        while reader.moveToNextAttribute() {
            let (attribute, value) = (reader.name, reader.value)
            if elementCount == 1 { rootAttributes[attribute] = value }
            if embedded.takes(attribute, value, of: name) {
                if let what = embedded.objection(to: value) {
                    let place = SVGFinding.Place.attribute(elementCount, attribute)
                    add(place, "\(what) in attribute \(attribute) of <\(name)>")
                }
                continue
            }
            guard let objection = SVGRules.objection(to: attribute, value, of: name) else {
                continue
            }
            // An animation without the name of its target would animate another attribute.
            let isAnimation = attribute.localName == "attributename"
            let place = SVGFinding.Place.attribute(elementCount, attribute)
            add(isAnimation ? element : place, objection.what, isStyle: objection.isStyle)
        }
    }

    private mutating func endStyle(at depth: Int) {
        guard let style, style.depth == depth else { return }
        self.style = nil
        guard let what = StyleRules.objection(to: style.text) else { return }
        findings.append(
            SVGFinding(
                place: .style(style.element), what: "\(what) in <style>", line: style.line))
    }

    private mutating func inspectInstruction() {
        instructionCount += 1
        guard reader.name.lowercased() == "xml-stylesheet" else { return }
        add(.instruction(instructionCount), "an xml-stylesheet")
    }

    private mutating func add(_ place: SVGFinding.Place, _ what: String, isStyle: Bool = false) {
        findings.append(
            SVGFinding(place: place, what: what, line: reader.line, isStyle: isStyle))
    }

    private func unsafe(_ what: String) -> JobResult.Failure {
        JobResult.Failure(.unsafe, "the SVG has \(what) (line \(reader.line))")
    }
}

extension String {
    /// The name without its prefix, in lower case.
    ///
    /// XML names are case-sensitive, but unsafe names are rejected in any case.
    var localName: String {
        String(self[(lastIndex(of: ":").map(index(after:)) ?? startIndex)...]).lowercased()
    }
}
