import Recipes

/// Looks for all that an SVG could run or load.
///
/// It errs on the side of refusal: what is not known to stay within the file is unsafe.
struct SVGInspector: ~Copyable {
    /// The largest SVG that is looked at, in bytes.
    static let longest = 16 << 20
    /// How deep elements may be nested.
    static let deepest = 200
    /// How many elements there may be.
    static let mostElements = 200_000

    private let reader: XMLReader
    private var elementCount = 0
    private var isInStyle = false

    /// Attributes of the root, by their names.
    private var rootAttributes: [String: String] = [:]

    /// - Returns: The size in absolute lengths, if the SVG gives itself one.
    /// - Throws: ``Answer/Failure`` that names the element or attribute and its line.
    static func check(_ file: borrowing SourceFile) throws(Answer.Failure) -> SVGSize? {
        guard file.count <= longest else {
            throw Answer.Failure(.unsafe, "the SVG has more than \(longest >> 20) MiB")
        }
        let bytes = file.bytes(at: 0, limit: file.count)
        try SVGProlog.check(bytes)
        guard let reader = XMLReader(bytes) else {
            throw Answer.Failure(.outOfMemory, "the SVG is more than the memory can hold")
        }
        var inspector = SVGInspector(reader: reader)
        try inspector.run()
        let root = inspector.rootAttributes
        return SVGSize(width: root["width"], height: root["height"], viewBox: root["viewBox"])
    }

    private init(reader: consuming XMLReader) { self.reader = reader }

    private mutating func run() throws(Answer.Failure) {
        while true {
            switch reader.next() {
            case .element: try checkElement()
            case .endOfElement: isInStyle = false
            case .text: if isInStyle { try checkStyle() }
            case .instruction: try checkInstruction()
            case .entity: throw unsafe("an entity")
            case .other: break
            case .end: return
            case .error:
                throw Answer.Failure(
                    .corrupt, "the SVG is not well-formed XML (line \(reader.parserLine))")
            }
        }
    }

    private mutating func checkElement() throws(Answer.Failure) {
        let name = reader.name.localName
        if elementCount == 0 && name != "svg" {
            throw Answer.Failure(.unsupported, "the file is XML, but no SVG")
        }
        elementCount += 1
        if elementCount > Self.mostElements {
            throw unsafe("more than \(Self.mostElements) elements")
        }
        if reader.depth > Self.deepest { throw unsafe("elements nested too deep") }
        if let what = SVGRules.objection(toElement: name, in: reader.namespace) {
            throw unsafe(what)
        }
        // An element without content gets no end of its own.
        isInStyle = name == "style" && !reader.isEmptyElement
        while reader.moveToNextAttribute() {
            let (attribute, value) = (reader.name, reader.value)
            if let what = SVGRules.objection(to: attribute, value, of: name) { throw unsafe(what) }
            if elementCount == 1 { rootAttributes[attribute] = value }
        }
    }

    private func checkStyle() throws(Answer.Failure) {
        if let what = StyleRules.objection(to: reader.value) {
            throw unsafe("\(what) in <style>")
        }
    }

    private func checkInstruction() throws(Answer.Failure) {
        if reader.name.lowercased() == "xml-stylesheet" { throw unsafe("an xml-stylesheet") }
    }

    private func unsafe(_ what: String) -> Answer.Failure {
        Answer.Failure(.unsafe, "the SVG has \(what) (line \(reader.line))")
    }
}

extension String {
    /// The name without its prefix, in small letters.
    ///
    /// Names of XML keep their case, but what is refused is refused in any.
    var localName: String {
        String(self[(lastIndex(of: ":").map(index(after:)) ?? startIndex)...]).lowercased()
    }
}
