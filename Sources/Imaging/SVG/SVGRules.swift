import ImageFormats

/// The rules for elements and attributes of an SVG.
enum SVGRules {
    /// The objection to an element, or nil.
    static func objection(toElement name: String, in namespace: String?) -> String? {
        if name == "foreignobject" { return "a <foreignObject>" }
        if elements.contains(name) { return "a <\(name)>" }
        if namespace == "http://www.w3.org/1999/xhtml" { return "HTML, a <\(name)>" }
        return nil
    }

    /// The objection to an attribute of `element`, or nil; `isStyle` says whether it is in CSS, the
    /// rest of which may stay.
    static func objection(
        to attribute: String, _ value: String, of element: String
    ) -> (what: String, isStyle: Bool)? {
        let name = attribute.localName
        let place = "attribute \(attribute) of <\(element)>"
        if name.hasPrefix("on") { return ("an event \(place)", false) }
        if attribute.lowercased() == "xml:base" { return ("a base address in \(place)", false) }
        if references.contains(name), let what = Reference(value).objection {
            return ("\(what) in \(place)", false)
        }
        if name == "attributename", let what = objection(toAnimationOf: value) {
            return ("\(what) in \(place)", false)
        }
        return StyleRules.objection(to: value).map { ("\($0) in \(place)", true) }
    }

    private static func objection(toAnimationOf value: String) -> String? {
        let target = Reference.spelling(value).localName
        return references.contains(target) || target.hasPrefix("on")
            ? "an animation of \(target)" : nil
    }

    private static let elements: Set<String> = [
        "script", "handler", "listener", "iframe", "object", "embed", "audio", "video", "link",
        "meta", "base", "form",
    ]

    private static let references: Set<String> = [
        "href", "src", "srcset", "data", "poster", "action", "formaction", "background", "ping",
    ]
}

/// A URL in an SVG, normalised as browsers read it.
struct Reference {
    private let address: String

    init(_ text: some StringProtocol) {
        address = Self.spelling(text)
    }

    /// The objection to it, or nil: it must refer to the file itself.
    var objection: String? {
        if address.isEmpty || address.hasPrefix("#") { return nil }
        guard address.hasPrefix("data:") else {
            return address.hasPrefix("javascript:") ? "a script" : "an outside reference"
        }
        let type = address.dropFirst("data:".count).prefix { $0 != "," && $0 != ";" }
        return Self.isInert(String(type)) ? nil : "embedded data of type \(type)"
    }

    /// `text` in lower case, without the characters that browsers remove from a URL.
    static func spelling(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value > 0x20 }))
            .lowercased()
    }

    /// Whether a media type is that of pixels or fonts; another SVG is not inert.
    private static func isInert(_ type: String) -> Bool {
        let isImage = ImageFormat.all.contains {
            $0.kind == .pixels && $0.isShownByBrowsers && $0.isMediaType(type)
        }
        return isImage || type.hasPrefix("font/")
            || type.hasPrefix("application/font") || type.hasPrefix("application/x-font")
    }
}
