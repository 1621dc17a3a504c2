/// The tables of elements and attributes that an SVG may have.
package enum SVGRules {
    /// The objection to an element, or nil.
    static func objection(toElement element: XMLElement) -> String? {
        let name = element.name.localName
        if name == "foreignobject" { return "a <foreignObject>" }
        if unsafeElements.contains(name) { return "a <\(name)>" }
        switch element.namespace {
        case .html: return "HTML, a <\(name)>"
        case .mathML: return "MathML, a <\(name)>"
        case .inclusion: return "an inclusion of another file"
        case .unbound: return "an element <\(element.name)> without a namespace"
        case .svg, .none: return elements.contains(name) ? nil : "an unknown element <\(name)>"
        case .xlink, .xml, .dublinCore, .rights, .declaration, .other: return nil
        }
    }

    /// The elements in any namespace that run or load something.
    private static let unsafeElements: Set<String> = [
        "script", "handler", "listener", "iframe", "object", "embed", "audio", "video", "link",
        "meta", "base", "form",
    ]

    /// The elements of SVG 1.1, SVG 2 and SVG Tiny 1.2, and those that editors write.
    private static let elements: Set<String> = [
        "a", "altglyph", "altglyphdef", "altglyphitem", "animate", "animatecolor", "animatemotion",
        "animatetransform", "circle", "clippath", "color-profile", "cursor", "defs", "desc",
        "discard", "ellipse", "feblend", "fecolormatrix", "fecomponenttransfer", "fecomposite",
        "feconvolvematrix", "fediffuselighting", "fedisplacementmap", "fedistantlight",
        "fedropshadow", "feflood", "fefunca", "fefuncb", "fefuncg", "fefuncr", "fegaussianblur",
        "feimage", "femerge", "femergenode", "femorphology", "feoffset", "fepointlight",
        "fespecularlighting", "fespotlight", "fetile", "feturbulence", "filter", "flowdiv",
        "flowline", "flowpara", "flowref", "flowregion", "flowregionbreak", "flowregionexclude",
        "flowroot", "flowspan", "flowtref", "font", "font-face", "font-face-format",
        "font-face-name", "font-face-src", "font-face-uri", "g", "glyph", "glyphref", "hatch",
        "hatchpath", "hkern", "image", "line", "lineargradient", "marker", "mask", "mesh",
        "meshgradient", "meshpatch", "meshrow", "metadata", "missing-glyph", "mpath", "page",
        "pageset", "path", "pattern", "polygon", "polyline", "radialgradient", "rect", "set",
        "solidcolor", "stop", "style", "svg", "switch", "symbol", "tbreak", "text", "textarea",
        "textpath", "title", "tref", "tspan", "use", "view", "vkern",
    ]

    /// The elements whose `href` can be a `data:` URL.
    package static let withData: Set<String> = ["image", "feimage", "font-face-uri"]

    /// The attributes other than `href` that name a file.
    static let references: Set<String> = [
        "src", "srcset", "srcdoc", "data", "poster", "action", "formaction", "background", "ping",
        "codebase", "archive", "manifest", "imagesrcset", "profile",
    ]

    /// The attributes of the namespace of XML that change nothing about other files.
    static let xmlAttributes: Set<String> = ["space", "lang", "id"]

    /// The attributes of an animation whose value is that of another attribute.
    static let animated: Set<String> = ["from", "to", "by", "values"]

    /// Whether browsers never read an attribute of no namespace as CSS.
    static func isText(_ name: String) -> Bool {
        texts.contains(name) || name.utf8.starts(with: "aria-".utf8)
            || name.utf8.starts(with: "data-".utf8)
    }

    private static let texts: Set<String> = [
        "alt", "class", "d", "desc", "font-family", "gradienttransform", "id", "label", "lang",
        "name", "patterntransform", "points", "role", "title", "transform", "viewbox",
    ]
}
