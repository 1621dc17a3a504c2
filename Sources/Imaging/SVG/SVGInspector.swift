import Foundation
import FoundationXML
import Recipes

/// Looks for all that an SVG could run or load.
///
/// It errs on the side of refusal: what is not known to stay within the file is unsafe.
final class SVGInspector: NSObject {
    /// The largest SVG that is looked at.
    static let longest = 16 << 20
    /// How deep elements may be nested.
    static let deepest = 200

    private var finding: Answer.Failure?
    private var depth = 0
    private var isInStyle = false
    private var style = ""

    /// - Throws: ``Answer/Failure`` that names the element or attribute and its line.
    static func check(_ file: borrowing SourceFile) throws(Answer.Failure) {
        guard file.count <= longest else {
            throw Answer.Failure(.unsafe, "the SVG has more than \(longest >> 20) MiB")
        }
        let bytes = file.bytes(at: 0, limit: file.count)
        try SVGProlog.check(bytes)
        let parser = XMLParser(data: Data(bytes))
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        let inspector = SVGInspector()
        parser.delegate = inspector
        let isParsed = parser.parse()
        if let finding = inspector.finding { throw finding }
        // FoundationXML calls it a success when the document ends too early.
        guard isParsed, parser.parserError == nil else {
            throw Answer.Failure(
                .corrupt, "the SVG is not well-formed XML (line \(parser.lineNumber))")
        }
    }

    /// Keeps the first finding and stops.
    private func refuse(_ what: String, _ parser: XMLParser) {
        guard finding == nil else { return }
        finding = Answer.Failure(.unsafe, "the SVG has \(what) (line \(parser.lineNumber))")
        parser.abortParsing()
    }
}

extension SVGInspector: XMLParserDelegate {
    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        let name = name.localName
        if depth == 0 && name != "svg" {
            finding = Answer.Failure(.unsupported, "the file is XML, but no SVG")
            parser.abortParsing()
            return
        }
        depth += 1
        if depth > Self.deepest { return refuse("elements nested too deep", parser) }
        if let what = SVGRules.objection(toElement: name, in: namespaceURI) {
            return refuse(what, parser)
        }
        for (attribute, value) in attributes.sorted(by: { $0.key < $1.key }) {
            if let what = SVGRules.objection(to: attribute, value, of: name) {
                return refuse(what, parser)
            }
        }
        isInStyle = name == "style"
        style = ""
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        depth -= 1
        if isInStyle, let what = StyleRules.objection(to: style) {
            refuse("\(what) in <style>", parser)
        }
        isInStyle = false
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if isInStyle { style += text }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        if isInStyle { style += String(decoding: block, as: UTF8.self) }
    }

    func parser(
        _ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?
    ) {
        if target.lowercased() == "xml-stylesheet" { refuse("an xml-stylesheet", parser) }
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
