/// An attribute's name, as far as it says what its value holds.
enum HTMLAttributeName: String {
    case src, srcset, href, poster, content, background, data, style, type, width, height
    case imageSrcset = "imagesrcset"
    case xlinkHref = "xlink:href"
    case srcdoc
    /// One that a script reads the URL of an image from.
    case lazy
    /// As ``lazy``, or something else than a URL: `data-lazy="true"`.
    case lazyHint
    /// One that a script reads the URL of a background from.
    case lazyBackground
    /// One that a script reads a `srcset` from.
    case lazySrcset
    /// One that the options name, with one URL.
    case named
    /// One that the options name, with a `srcset`.
    case namedSrcset
    /// One that asks something of imgbake.
    case control
    case other

    /// - Parameters:
    ///   - written: As it is written, in any case.
    ///   - lazyAttributes: Further names that a script reads URLs from, in lower case.
    init(_ written: Bytes, lazyAttributes: [String] = []) {
        // A template may stand directly before: `{% if x %}src="a.png"`.
        let name =
            written.lastIndex(of: .closeBrace).map { Bytes(rebasing: written[($0 + 1)...]) }
            ?? written
        self = Self.known(name)
        guard !lazyAttributes.isEmpty, self == .other || isLazy else { return }
        let lowercased = name.lowercasedText
        guard lazyAttributes.contains(lowercased) else { return }
        self = lowercased.hasSuffix("srcset") ? .namedSrcset : .named
    }

    /// Whether a script reads it, on whatever element it is.
    var isLazy: Bool {
        switch self {
        case .lazy, .lazyHint, .lazyBackground, .lazySrcset, .named, .namedSrcset: true
        default: false
        }
    }

    private static func known(_ name: Bytes) -> HTMLAttributeName {
        guard let first = name.first?.lowercased else { return .other }
        switch (first, name.count) {
        case (UInt8(ascii: "s"), 3) where name.matches("src", at: 0): return .src
        case (UInt8(ascii: "s"), 6) where name.matches("srcset", at: 0): return .srcset
        case (UInt8(ascii: "s"), 6) where name.matches("srcdoc", at: 0): return .srcdoc
        case (UInt8(ascii: "s"), 5) where name.matches("style", at: 0): return .style
        case (UInt8(ascii: "h"), 4) where name.matches("href", at: 0): return .href
        case (UInt8(ascii: "h"), 6) where name.matches("height", at: 0): return .height
        case (UInt8(ascii: "w"), 5) where name.matches("width", at: 0): return .width
        case (UInt8(ascii: "p"), 6) where name.matches("poster", at: 0): return .poster
        case (UInt8(ascii: "c"), 7) where name.matches("content", at: 0): return .content
        case (UInt8(ascii: "b"), 10) where name.matches("background", at: 0): return .background
        case (UInt8(ascii: "i"), 11) where name.matches("imagesrcset", at: 0): return .imageSrcset
        case (UInt8(ascii: "x"), 10) where name.matches("xlink:href", at: 0): return .xlinkHref
        case (UInt8(ascii: "t"), 4) where name.matches("type", at: 0): return .type
        case (UInt8(ascii: "o"), 8) where name.matches("original", at: 0): return .lazyHint
        case (UInt8(ascii: "d"), 4) where name.matches("data", at: 0): return .data
        case (UInt8(ascii: "d"), 7...) where name.matches("data-", at: 0): return knownData(name)
        default: return .other
        }
    }

    private static func knownData(_ name: Bytes) -> HTMLAttributeName {
        if name.matches("imgbake", at: 5), name.count == 12 || name[12] == .hyphen {
            return .control
        }
        guard name.count <= longestData else { return .other }
        return dataNames.first {
            $0.name.utf8CodeUnitCount == name.count - 5 && name.matches($0.name, at: 5)
        }?.meaning ?? .other
    }

    /// What follows `data-`: as libraries for lazy loading, galleries and plug-ins of WordPress have it.
    private static let dataNames: [(name: StaticString, meaning: HTMLAttributeName)] = [
        ("src", .lazy), ("original", .lazy), ("lazy-src", .lazy), ("ezsrc", .lazy),
        ("hi-res-src", .lazy), ("src-retina", .lazy), ("orig-file", .lazy), ("medium-file", .lazy),
        ("large-file", .lazy), ("asset-url", .lazy), ("source-standard", .lazy),
        ("lazy", .lazyHint), ("image", .lazyHint),
        ("bg", .lazyBackground), ("background", .lazyBackground),
        ("background-image", .lazyBackground),
        ("srcset", .lazySrcset), ("lazy-srcset", .lazySrcset), ("ezsrcset", .lazySrcset),
    ]

    private static let longestData = 5 + (dataNames.map(\.name.utf8CodeUnitCount).max() ?? 0)

    /// How messages name it.
    func label(_ name: Bytes) -> String {
        switch self {
        case .control, .other: name.lowercasedText
        default: isLazy ? name.lowercasedText : rawValue
        }
    }
}

extension Bytes {
    /// The bytes as text in lower case.
    var lowercasedText: String { String(decoding: lazy.map(\.lowercased), as: UTF8.self) }
}
