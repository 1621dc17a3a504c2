import Recipes

/// What is checked in the bytes of an SVG before they go to a parser.
enum SVGProlog {
    /// - Throws: ``Answer/Failure`` if a declaration could make the parser read something else than
    ///   what stands there.
    static func check(_ bytes: [UInt8]) throws(Answer.Failure) {
        if let place = bytes.firstIndex(of: 0) {
            throw unsafe("a zero byte", at: place, in: bytes)
        }
        for (declaration, name) in declarations {
            if let place = bytes.firstPlace(of: declaration) {
                throw unsafe(name, at: place, in: bytes)
            }
        }
        if let encoding = declaredEncoding(bytes), !readable.contains(encoding) {
            throw Answer.Failure(.unsafe, "the SVG is in \(encoding), which is not read here")
        }
    }

    /// What an XML parser obeys and a reader overlooks, known in capitals alone.
    ///
    /// An entity can hide anything, and an attribute list can give every element an attribute.
    private static let declarations: [([UInt8], String)] = [
        (Array("<!ENTITY".utf8), "an entity declaration"),
        (Array("<!ATTLIST".utf8), "an attribute declaration"),
    ]

    /// Encodings in which every byte below 128 is the ASCII character.
    private static let readable: Set<String> = [
        "ascii", "us-ascii", "utf-8", "utf8", "iso-8859-1", "iso-8859-15", "windows-1252",
    ]

    private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
        let start = String(decoding: bytes.prefix(256), as: UTF8.self)
        guard let declaration = start.firstRange(of: "<?xml "),
            let end = start[declaration.upperBound...].firstRange(of: "?>")
        else { return nil }
        let body = start[declaration.upperBound..<end.lowerBound]
        guard let key = body.firstRange(of: "encoding") else { return nil }
        return body[key.upperBound...]
            .drop { " \t\r\n=\"'".contains($0) }
            .prefix { !" \t\r\n\"'".contains($0) }
            .lowercased()
    }

    private static func unsafe(
        _ what: String, at place: Int, in bytes: [UInt8]
    ) -> Answer.Failure {
        let line = 1 + bytes[..<place].count { $0 == 0x0A }
        return Answer.Failure(.unsafe, "the SVG has \(what) (line \(line))")
    }
}

extension [UInt8] {
    /// Where `pattern`, which is not empty, begins first.
    fileprivate func firstPlace(of pattern: [UInt8]) -> Int? {
        var start = startIndex
        while let place = self[start...].firstIndex(of: pattern[0]) {
            if self[place...].starts(with: pattern) { return place }
            start = place + 1
        }
        return nil
    }
}
