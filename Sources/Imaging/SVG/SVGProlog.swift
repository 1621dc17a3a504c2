import Recipes

/// What is checked in the bytes of an SVG before they go to a parser.
enum SVGProlog {
    /// - Throws: ``Answer/Failure`` if a declaration could make a parser read something else than
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
        let encoding = declaredEncoding(bytes)
        guard readable.contains(encoding) else {
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
    static let readable: Set<String> = [
        "ascii", "us-ascii", "utf-8", "utf8", "iso-8859-1", "iso-8859-15", "windows-1252",
    ]

    /// The encoding by the declaration, in small letters.
    private static func declaredEncoding(_ bytes: [UInt8]) -> String {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard text.starts(with: "<?xml".utf8),
            let end = text.prefix(1024).firstIndex(of: UInt8(ascii: ">"))
        else { return "utf-8" }
        let declaration = String(decoding: text[..<end], as: UTF8.self)
        guard let key = declaration.firstRange(of: "encoding") else { return "utf-8" }
        return declaration[key.upperBound...]
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
