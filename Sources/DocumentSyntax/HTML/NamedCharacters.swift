/// The table of named character references of the HTML standard (13.5).
package enum NamedCharacters {
    /// The characters of a name in UTF-8; nil if the name is not known.
    package static func text(of name: Slice<UnsafeBytes>) -> [UInt8]? {
        // Nearly all references in URLs are this one.
        if name.elementsEqual("amp".utf8) { return [.ampersand] }
        return table[String(decoding: name, as: UTF8.self)]
    }

    /// The longest beginning of `text` that is a name which needs no semicolon; nil if there is
    /// none.
    package static func unclosedName(in text: Slice<UnsafeBytes>) -> Slice<UnsafeBytes>? {
        let longest = min(text.count, 6)
        guard longest >= 2 else { return nil }
        for count in (2...longest).reversed()
        where unclosed.contains(String(decoding: text.prefix(count), as: UTF8.self)) {
            return text.prefix(count)
        }
        return nil
    }

    /// The characters of each name.
    package static let table: [String: [UInt8]] = {
        let data = String(decoding: PackageResources.named_characters_txt, as: UTF8.self)
        let words = data.split(whereSeparator: \.isWhitespace)
        var table: [String: [UInt8]] = [:]
        for index in stride(from: 0, to: words.count, by: 2) {
            let scalars = words[index + 1].split(separator: "+").compactMap {
                UInt32($0, radix: 16).flatMap(Unicode.Scalar.init)
            }
            table[String(words[index])] = scalars.flatMap { Array(String(Character($0)).utf8) }
        }
        return table
    }()

    private static let unclosed = Set(
        """
        AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml GT
        Iacute Icirc Igrave Iuml LT Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG THORN
        Uacute Ucirc Ugrave Uuml Yacute aacute acirc acute aelig agrave amp aring atilde auml brvbar
        ccedil cedil cent copy curren deg divide eacute ecirc egrave eth euml frac12 frac14 frac34
        gt iacute icirc iexcl igrave iquest iuml laquo lt macr micro middot nbsp not ntilde oacute
        ocirc ograve ordf ordm oslash otilde ouml para plusmn pound quot raquo reg sect shy sup1
        sup2 sup3 szlig thorn times uacute ucirc ugrave uml uuml yacute yen yuml
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
