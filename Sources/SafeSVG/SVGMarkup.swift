/// An element as a parser of XML reports it.
package struct SVGElement {
    /// The name with its prefix.
    package let name: String
    package let namespace: SVGNamespace
    package var attributes: [SVGAttribute]
    /// The line of its tag, from 1.
    package let line: Int

    package init(
        name: String, namespace: SVGNamespace, attributes: [SVGAttribute], line: Int
    ) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.line = line
    }
}

/// An attribute as a parser of XML reports it.
package struct SVGAttribute {
    /// The name with its prefix.
    package let name: String
    package let namespace: SVGNamespace
    /// The value after character references are decoded.
    package var value: [UInt8]

    package init(name: String, namespace: SVGNamespace, value: [UInt8]) {
        self.name = name
        self.namespace = namespace
        self.value = value
    }
}

/// The namespace of a name, as far as the rules know it.
package enum SVGNamespace: Hashable {
    case none, svg, xlink, xml, html, mathML, inclusion
    /// The declaration of a namespace, `xmlns` or `xmlns:…`.
    case declaration
    /// A prefix that is not declared.
    case unbound
    /// Any other; browsers give its names no meaning.
    case other

    /// - Parameter address: The name of a namespace; nil for none.
    package init(_ address: [UInt8]?) {
        guard let address, !address.isEmpty else {
            self = .none
            return
        }
        self = Self.known.first { $0.address.utf8.elementsEqual(address) }?.namespace ?? .other
    }

    private static let known: [(address: String, namespace: SVGNamespace)] = [
        ("http://www.w3.org/2000/svg", .svg), ("http://www.w3.org/1999/xlink", .xlink),
        ("http://www.w3.org/XML/1998/namespace", .xml),
        ("http://www.w3.org/1999/xhtml", .html), ("http://www.w3.org/1998/Math/MathML", .mathML),
        ("http://www.w3.org/2001/XInclude", .inclusion),
        ("http://www.w3.org/2000/xmlns/", .declaration),
    ]
}

extension String {
    /// The name without its prefix, in lower case.
    ///
    /// XML names are case-sensitive, but unsafe names are rejected in any case.
    package var localName: String {
        let local = utf8.lastIndex(of: UInt8(ascii: ":")).map { self[utf8.index(after: $0)...] }
        return String(
            decoding: (local ?? self[...]).utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }

    /// Whether it is a name of ASCII characters with one prefix at most.
    var isPlainName: Bool {
        let parts = utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                part.first.map { $0.isASCIILetter || $0 == UInt8(ascii: "_") } == true
                    && part.allSatisfy(\.isNameByte)
            }
    }
}

extension UInt8 {
    /// Whether the byte is white space in XML.
    package var isXMLSpace: Bool {
        self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
    }

    var isASCIILetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

    var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// Whether the byte can be in a name of ASCII characters.
    var isNameByte: Bool { isASCIILetter || isASCIIDigit || "-._".utf8.contains(self) }
}
