import ImageFormats

/// What an element or attribute of an SVG must not be.
enum SVGRules {
    /// What is wrong with an element, or nil.
    static func objection(toElement name: String, in namespace: String?) -> String? {
        if name == "foreignobject" { return "a <foreignObject>" }
        if elements.contains(name) { return "a <\(name)>" }
        if namespace == "http://www.w3.org/1999/xhtml" { return "HTML, a <\(name)>" }
        return nil
    }

    /// What is wrong with an attribute of the element `element`, or nil; `isStyle` says whether it is
    /// in CSS, of which the rest may stay.
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

/// An address in an SVG, spelled as a browser reads it.
struct Reference {
    private let address: String

    init(_ text: some StringProtocol) {
        address = Self.spelling(text)
    }

    /// What is wrong with it, or nil: it must lead nowhere but into the file itself.
    var objection: String? {
        if address.isEmpty || address.hasPrefix("#") { return nil }
        guard address.hasPrefix("data:") else {
            return address.hasPrefix("javascript:") ? "a script" : "an outside reference"
        }
        let type = address.dropFirst("data:".count).prefix { $0 != "," && $0 != ";" }
        return Self.isInert(String(type)) ? nil : "embedded data of type \(type)"
    }

    /// `text` without what browsers take out of an address, in small letters.
    static func spelling(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value > 0x20 }))
            .lowercased()
    }

    /// Pixels and fonts; not another SVG.
    private static func isInert(_ type: String) -> Bool {
        let isImage = ImageFormat.all.contains {
            $0.kind == .pixels && $0.isShownByBrowsers && $0.isMediaType(type)
        }
        return isImage || type.hasPrefix("font/")
            || type.hasPrefix("application/font") || type.hasPrefix("application/x-font")
    }
}
