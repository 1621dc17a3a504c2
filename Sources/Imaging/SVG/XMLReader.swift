internal import CXML
import SafeSVG

/// Reads an XML document node by node, with a single owner.
struct XMLReader: ~Copyable {
    enum Node {
        case element, endOfElement, text, instruction, comment, entity, other
        /// The end of the document.
        case end
        /// The document is not well-formed from here on.
        case error
    }

    private let reader: xmlTextReaderPtr
    /// The document, which the reader does not copy.
    private let bytes: UnsafeMutableBufferPointer<CChar>

    init?(_ document: [UInt8]) {
        let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: document.count + 1)
        _ = bytes.initialize(from: document.map { CChar(bitPattern: $0) } + [0])
        guard let base = bytes.baseAddress, let reader = cxml_reader(base, Int32(document.count))
        else {
            bytes.deallocate()
            return nil
        }
        self.reader = reader
        self.bytes = bytes
    }

    deinit {
        xmlFreeTextReader(reader)
        bytes.deallocate()
    }

    func next() -> Node {
        switch xmlTextReaderRead(reader) {
        case 1: return kind
        case 0: return .end
        default: return .error
        }
    }

    /// The element with its attributes; then the reader is at the last of them.
    func takeElement() -> SVGElement {
        let (name, namespace, line) = (name, knownNamespace, line)
        var attributes: [SVGAttribute] = []
        while moveToNextAttribute() {
            attributes.append(
                SVGAttribute(name: self.name, namespace: knownNamespace, value: value))
        }
        return SVGElement(name: name, namespace: namespace, attributes: attributes, line: line)
    }

    /// Returns false if the element has no more attributes.
    func moveToNextAttribute() -> Bool { xmlTextReaderMoveToNextAttribute(reader) == 1 }

    /// The namespace as the rules for SVG know it.
    private var knownNamespace: SVGNamespace {
        let namespace = SVGNamespace(namespace.map { Array($0.utf8) })
        let isUnbound = namespace == .none && name.utf8.contains(UInt8(ascii: ":"))
        return isUnbound ? .unbound : namespace
    }

    /// The name with its prefix.
    var name: String { Self.string(xmlTextReaderConstName(reader)) ?? "" }
    var namespace: String? { Self.string(xmlTextReaderConstNamespaceUri(reader)) }
    var value: [UInt8] { Self.bytes(xmlTextReaderConstValue(reader)) ?? [] }
    var depth: Int { Int(xmlTextReaderDepth(reader)) }
    var isEmptyElement: Bool { xmlTextReaderIsEmptyElement(reader) == 1 }

    /// The line of the node; for an attribute, the line of its element.
    var line: Int { Int(xmlGetLineNo(xmlTextReaderCurrentNode(reader))) }
    /// The line that the parser has reached.
    var parserLine: Int { Int(xmlTextReaderGetParserLineNumber(reader)) }

    private var kind: Node {
        switch xmlReaderTypes(UInt32(max(0, xmlTextReaderNodeType(reader)))) {
        case XML_READER_TYPE_ELEMENT: .element
        case XML_READER_TYPE_END_ELEMENT: .endOfElement
        case XML_READER_TYPE_TEXT, XML_READER_TYPE_CDATA, XML_READER_TYPE_WHITESPACE,
            XML_READER_TYPE_SIGNIFICANT_WHITESPACE:
            .text
        case XML_READER_TYPE_PROCESSING_INSTRUCTION: .instruction
        case XML_READER_TYPE_COMMENT: .comment
        case XML_READER_TYPE_ENTITY_REFERENCE: .entity
        default: .other
        }
    }

    private static func bytes(_ text: UnsafePointer<xmlChar>?) -> [UInt8]? {
        text.map { Array(UnsafeBufferPointer(start: $0, count: Int(xmlStrlen($0)))) }
    }

    private static func string(_ text: UnsafePointer<xmlChar>?) -> String? {
        text.map { String(cString: $0) }
    }
}
