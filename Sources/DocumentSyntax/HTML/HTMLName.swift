/// The name of an element that the HTML standard treats in some way of its own, or `other`.
package enum HTMLName: UInt8, CaseIterable, Sendable {
    case other
    case a, address, applet, area, article, aside, audio, b, base, basefont, bgsound, big
    case blockquote, body, br, button, caption, center, code, col, colgroup, dd, desc, details
    case dialog, dir, div, dl, dt, em, embed, feimage, fieldset, figcaption, figure, font, footer
    case foreignobject, form, frame, frameset, h1, h2, h3, h4, h5, h6, head, header, hgroup, hr
    case html, i, iframe, image, img, input, keygen, li, link, listing, main, malignmark, marquee
    case math, menu, meta, mglyph, mi, mn, mo, ms, mtext, nav, nobr, noembed, noframes, noscript
    case object, ol, optgroup, option, p, param, picture, plaintext, pre, rb, rp, rt, rtc, ruby, s
    case script, search, section, select, small, source, span, strike, strong, style, sub, summary
    case sup, svg, table, tbody, td, template, textarea, tfoot, th, thead, title, tr, track, tt, u
    case ul, video, wbr, xmp
    case annotationXML
    case `var`

    // Inlined into other modules, as a derived one is not.
    @inlinable package static func == (one: Self, other: Self) -> Bool {
        // A name is one byte, because there are fewer than 256 and none has a value.
        unsafeBitCast(one, to: UInt8.self) == unsafeBitCast(other, to: UInt8.self)
    }

    package var label: String { self == .annotationXML ? "annotation-xml" : "\(self)" }

    /// - Parameter name: The name as written, in upper or lower case.
    package init(_ name: Slice<UnsafeBytes>) {
        guard let key = Key(name) else {
            self = .other
            return
        }
        self = Self.keys.withUnsafeBufferPointer { table in
            var slot = key.slot
            while table[slot].key != key, table[slot].name != .other { slot = (slot + 1) & 511 }
            return table[slot].name
        }
    }

    /// A name of up to 15 bytes, with letters in lower case, and its length.
    private struct Key: Equatable {
        private let low: UInt64
        private let high: UInt64

        init?(_ name: Slice<UnsafeBytes>) {
            guard name.count <= 15 else { return nil }
            let bytes = name.base
            low = bytes.lowercasedWord(at: name.startIndex, count: min(name.count, 8))
            let rest = bytes.lowercasedWord(at: name.startIndex + 8, count: max(name.count - 8, 0))
            // A NUL is no letter, but would add nothing to the words.
            high = rest | UInt64(name.count) << 56
        }

        var slot: Int { Int(truncatingIfNeeded: ((low ^ high) &* 0x9E37_79B9_7F4A_7C15) >> 55) }
    }

    private static let keys: [(key: Key, name: HTMLName)] = {
        let none = Array<UInt8>().withUnsafeBufferPointer { Key($0[...]) }
        guard let none else { return [] }
        var table = [(key: Key, name: HTMLName)](repeating: (none, .other), count: 512)
        for name in allCases.dropFirst() {
            let key = Array(name.label.utf8).withUnsafeBufferPointer { Key($0[...]) }
            guard let key else { continue }
            var slot = key.slot
            while table[slot].name != .other { slot = (slot + 1) & 511 }
            table[slot] = (key, name)
        }
        return table
    }()
}

extension HTMLName {
    /// A set of names.
    package struct Group {
        private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

        package init(_ names: String) {
            for word in names.split(whereSeparator: \.isWhitespace) {
                let name = Array(word.utf8).withUnsafeBufferPointer { HTMLName($0[...]) }
                precondition(name != .other, "\(word) is not a name")
                let bit: UInt64 = 1 << UInt64(name.rawValue & 63)
                switch name.rawValue >> 6 {
                case 0: words.0 |= bit
                case 1: words.1 |= bit
                default: words.2 |= bit
                }
            }
        }

        package func contains(_ name: HTMLName) -> Bool {
            let word =
                switch name.rawValue >> 6 {
                case 0: words.0
                case 1: words.1
                default: words.2
                }
            return word >> UInt64(name.rawValue & 63) & 1 != 0
        }
    }

    /// Elements whose content is raw text: their tags and comments are not parsed.
    package var isRawText: Bool { Self.rawTexts.contains(self) }
    private static let rawTexts = Group(
        "script style title textarea xmp iframe noembed noframes plaintext")

    /// Blocks that their end tags close with all that is open in them.
    package var isClosedBlock: Bool { Self.closedBlocks.contains(self) }
    private static let closedBlocks = Group(
        """
        address article aside blockquote button center details dialog dir div dl fieldset figcaption
        figure footer header hgroup listing main menu nav ol pre search section summary ul
        """)

    /// Elements that few end tags close from inside (13.2.4.2).
    package var isSpecial: Bool { Self.specials.contains(self) }
    private static let specials = Group(
        """
        address applet area article aside base basefont bgsound blockquote body br button caption
        center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form
        frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link
        listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre
        script search section select source style summary table tbody td template textarea tfoot th
        thead title tr track ul wbr xmp
        """)

    /// Blocks that close an open paragraph and have no further rules.
    package var isBlock: Bool { isClosedBlock && self != .button || isHeading || self == .p }

    /// Elements that belong into the head.
    package var isHeadContent: Bool { Self.headContents.contains(self) }
    private static let headContents = Group(
        "base basefont bgsound link meta noframes script style template title")

    /// Formatting elements, which are opened again after an element that closes them.
    package var isFormatting: Bool { Self.formattings.contains(self) }
    private static let formattings = Group(
        "a b big code em font i nobr s small strike strong tt u")

    /// Elements in which formatting elements around them are not opened again.
    package var endsFormatting: Bool { Self.formattingEnds.contains(self) }
    private static let formattingEnds = Group("applet caption marquee object td template th")

    /// Elements whose end tags may be left out.
    package var isImplied: Bool { Self.implied.contains(self) }
    private static let implied = Group("dd dt li optgroup option p rb rp rt rtc")

    package var isHeading: Bool {
        rawValue >= HTMLName.h1.rawValue && rawValue <= HTMLName.h6.rawValue
    }
}

extension UnsafeBytes {
    /// Up to eight bytes as one number, with letters in lower case.
    ///
    /// But for case, a text of letters, digits and hyphens has the number of no other text of its
    /// length.
    @inline(__always)
    fileprivate func lowercasedWord(at start: Int, count: Int) -> UInt64 {
        var word: UInt64 = 0
        if count > 0, start + 8 <= self.count {
            word =
                UnsafeRawBufferPointer(self).loadUnaligned(
                    fromByteOffset: start, as: UInt64.self
                ).littleEndian
            word &= .max >> UInt64(64 - 8 * count)
        } else {
            for index in 0..<count { word |= UInt64(self[start + index]) << UInt64(8 * index) }
        }
        // Sets the bit 0x20 of the bytes that have the bit 0x40. Those that are no letters do not
        // become letters by it.
        return word | (word & 0x4040_4040_4040_4040) >> 1
    }
}
