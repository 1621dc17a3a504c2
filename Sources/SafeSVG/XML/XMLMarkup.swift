/// An element of an XML document.
package struct XMLElement {
    /// The name with its prefix.
    package let name: String
    package let namespace: XMLNamespace
    package var attributes: [XMLAttribute]
    /// Whether it is one tag, as in `<g/>`.
    package let isEmpty: Bool
    /// The line of its tag, from 1.
    package let line: Int
}

/// An attribute of an XML document.
package struct XMLAttribute {
    /// The name with its prefix.
    package let name: String
    package let namespace: XMLNamespace
    /// The value after references are replaced.
    package var value: [UInt8]
}

/// The namespace of a name, as far as it has a meaning here.
package enum XMLNamespace: Hashable {
    case none, svg, xlink, xml, html, mathML, inclusion
    /// Those of the author and the rights of a picture in XMP.
    case dublinCore, rights
    /// The declaration of a namespace, `xmlns` or `xmlns:…`.
    case declaration
    /// A prefix that is not declared.
    case unbound
    /// Any other; browsers give its names no meaning.
    case other

    /// - Parameter address: The name of a namespace; empty for none.
    init(_ address: [UInt8]) {
        let known = Self.known.first { $0.address.utf8.elementsEqual(address) }?.namespace
        self = address.isEmpty ? .none : known ?? .other
    }

    private static let known: [(address: String, namespace: XMLNamespace)] = [
        ("http://www.w3.org/2000/svg", .svg), ("http://www.w3.org/1999/xlink", .xlink),
        ("http://www.w3.org/XML/1998/namespace", .xml),
        ("http://www.w3.org/1999/xhtml", .html), ("http://www.w3.org/1998/Math/MathML", .mathML),
        ("http://www.w3.org/2001/XInclude", .inclusion),
        ("http://www.w3.org/2000/xmlns/", .declaration),
        ("http://purl.org/dc/elements/1.1/", .dublinCore),
        ("http://ns.adobe.com/xap/1.0/rights/", .rights),
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

    /// Whether it is a name of XML (XML 1.0, section 2.3).
    var isXMLName: Bool {
        if isPlainName { return true }
        let starts = unicodeScalars.first.map(Self.startsName) == true
        return starts
            && unicodeScalars.allSatisfy { scalar in
                Self.startsName(scalar) || Self.laterInNames.contains { $0.contains(scalar.value) }
            }
    }

    private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
        firstInNames.contains { $0.contains(scalar.value) }
    }

    private static let firstInNames: [ClosedRange<UInt32>] = [
        0x3A...0x3A, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF,
        0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF,
        0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x1_0000...0xE_FFFF,
    ]
    private static let laterInNames: [ClosedRange<UInt32>] = [
        0x2D...0x2E, 0x30...0x39, 0xB7...0xB7, 0x300...0x36F, 0x203F...0x2040,
    ]
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

extension ArraySlice<UInt8> {
    /// The first offset of `text`, which must not be empty.
    package func firstPlace(of text: String) -> Int? {
        guard let first = text.utf8.first else { return nil }
        var start = startIndex
        while let place = self[start...].firstIndex(of: first) {
            if self[place...].starts(with: text.utf8) { return place }
            start = place + 1
        }
        return nil
    }

    /// The text with a line feed at the end of each line (XML 1.0, section 2.11).
    var withPlainLineEnds: [UInt8] {
        guard contains(0x0D) else { return Array(self) }
        var isAfterReturn = false
        return compactMap { byte in
            defer { isAfterReturn = byte == 0x0D }
            if byte == 0x0A, isAfterReturn { return nil }
            return byte == 0x0D ? 0x0A : byte
        }
    }
}

extension [UInt8] {
    /// The number of the line that holds the byte at `place`, from 1.
    package func line(of place: Int) -> Int { 1 + self[..<place].count { $0 == 0x0A } }
}
