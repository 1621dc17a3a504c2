import ImageFormats
import SafeSVG

/// The author and the copyright of an image.
struct ImageRights {
    var artist: String?
    var copyright: String?
    /// The URL of a licence (`xmpRights:WebStatement`).
    var statement: String?

    var isEmpty: Bool { artist == nil && copyright == nil && statement == nil }

    /// Collects the rights; EXIF takes precedence over IPTC, and that over XMP.
    init(exif: EXIFBlock?, iptc: [UInt8]?, xmp: [UInt8]?) {
        artist = exif?.artist
        copyright = exif?.copyright
        if let iptc {
            artist = artist ?? Self.text(ofRecord: 80, in: iptc)
            copyright = copyright ?? Self.text(ofRecord: 116, in: iptc)
        }
        if let xmp, xmp.count <= Self.longestPacket { read(xmp) }
    }

    private static let longestPacket = 1 << 20
    private static let longestText = 4096

    /// The text of a record of section 2 (IPTC IIM, version 4).
    private static func text(ofRecord number: UInt8, in iptc: [UInt8]) -> String? {
        var rest = iptc[...]
        while let start = rest.firstIndex(of: 0x1C), start + 5 <= rest.endIndex {
            let length = rest[start + 3..<start + 5].bigEndianNumber
            if rest[start + 1] == 2, rest[start + 2] == number, length > 0, length < 0x8000,
                start + 5 + length <= rest.endIndex
            {
                let text = String(decoding: rest[start + 5..<start + 5 + length], as: UTF8.self)
                return text.allSatisfy(\.isWhitespace) ? nil : text
            }
            rest = rest[(start + 1)...]
        }
        return nil
    }
}

// MARK: - XMP

extension ImageRights {
    private static let dublinCore = "http://purl.org/dc/elements/1.1/"
    private static let rights = "http://ns.adobe.com/xap/1.0/rights/"

    /// Reads the properties that are still missing from a packet.
    private mutating func read(_ packet: [UInt8]) {
        guard var reader = try? XMLReader(packet, .wellFormed) else { return }
        var depth = 0
        var open: (property: Property, depth: Int, text: String)?
        while let event = try? reader.next() {
            switch event {
            case .start(let element):
                depth += 1
                if open == nil, let property = Property(element.namespace, element.name) {
                    open = (property, depth, "")
                }
                for attribute in element.attributes {
                    guard let property = Property(attribute.namespace, attribute.name) else {
                        continue
                    }
                    set(property, String(decoding: attribute.value, as: UTF8.self))
                }
            case .text(let text):
                if let length = open?.text.utf8.count, length < Self.longestText {
                    open?.text += String(decoding: text, as: UTF8.self)
                }
            case .end:
                if let (property, place, text) = open, place == depth {
                    set(property, text)
                    open = nil
                }
                depth -= 1
            case .instruction: break
            }
        }
    }

    private enum Property {
        case creator, rights, statement

        /// The property with this name; nil for any other.
        init?(_ namespace: XMLNamespace, _ name: String) {
            switch (namespace, name.localName) {
            case (.dublinCore, "creator"): self = .creator
            case (.dublinCore, "rights"): self = .rights
            case (.rights, "webstatement"): self = .statement
            default: return nil
            }
        }
    }

    private mutating func set(_ property: Property, _ value: String) {
        let text = value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !text.isEmpty, text.utf8.count <= Self.longestText else { return }
        switch property {
        case .creator: artist = artist ?? text
        case .rights: copyright = copyright ?? text
        case .statement: statement = statement ?? text
        }
    }

    /// An XMP packet with these properties and nothing else.
    var packet: [UInt8] {
        var properties = ""
        var namespaces = ""
        if artist != nil || copyright != nil { namespaces += " xmlns:dc=\"\(Self.dublinCore)\"" }
        if statement != nil { namespaces += " xmlns:xmpRights=\"\(Self.rights)\"" }
        if let copyright {
            properties += "<dc:rights><rdf:Alt><rdf:li xml:lang=\"x-default\">"
            properties += "\(Self.escaped(copyright))</rdf:li></rdf:Alt></dc:rights>"
        }
        if let artist {
            properties += "<dc:creator><rdf:Seq><rdf:li>\(Self.escaped(artist))</rdf:li>"
            properties += "</rdf:Seq></dc:creator>"
        }
        if let statement {
            properties += "<xmpRights:WebStatement>\(Self.escaped(statement))"
            properties += "</xmpRights:WebStatement>"
        }
        let text =
            "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
            + "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
            + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
            + "<rdf:Description rdf:about=\"\"\(namespaces)>\(properties)</rdf:Description>"
            + "</rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"
        return Array(text.utf8)
    }

    private static func escaped(_ text: String) -> String {
        var output: [UInt8] = []
        XMLWriter.write(text: text.utf8.filter { $0 >= 0x20 }, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
