/// Judges one attribute of an element.
struct AttributeReader {
    private let attribute: XMLAttribute
    private let element: XMLElement
    /// The name of the attribute and of the element, without prefix and in lower case.
    private let name: String
    private let elementName: String

    init(_ attribute: XMLAttribute, of element: XMLElement) {
        self.attribute = attribute
        self.element = element
        name = attribute.name.localName
        elementName = element.name.localName
    }

    var isTargetOfAnimation: Bool { name == "attributename" }

    private var place: String { "attribute \(attribute.name) of <\(elementName)>" }

    /// The verdict on the attribute; what it refers to in the file is added to `node`.
    func verdict(
        _ embedded: inout EmbeddedSVG, _ node: inout ReferenceGraph.Node
    ) -> SVGExaminer.Verdict {
        guard attribute.name.isPlainName, attribute.namespace != .unbound else {
            return .remove(what: "an unclear attribute of <\(elementName)>")
        }
        if attribute.namespace == .declaration { return .keep }
        if name.utf8.starts(with: "on".utf8) { return .remove(what: "an event \(place)") }
        if attribute.namespace == .xml {
            if name == "base" { return .remove(what: "a base address in \(place)") }
            return SVGRules.xmlAttributes.contains(name)
                ? .keep : .remove(what: "an unknown \(place)")
        }
        if name == "href" { return address(&embedded, &node) }
        if SVGRules.references.contains(name) { return file() }
        if isTargetOfAnimation { return target() }
        if attribute.namespace == .none { node.read(name, attribute.value) }
        return style(&node)
    }

    private func address(
        _ embedded: inout EmbeddedSVG, _ node: inout ReferenceGraph.Node
    ) -> SVGExaminer.Verdict {
        let reference = SVGReference(attribute.value)
        let canonical: SVGExaminer.Verdict =
            reference.canonical == attribute.value
            ? .keep : .replace(reference.canonical, what: nil)
        switch reference.target {
        case .fragment(let target):
            if elementName == "image", !reference.canonical.isEmpty {
                return .remove(what: "a reference to the file itself in \(place)")
            }
            // A link without an address leads to the file itself, which the browser loads again.
            if elementName == "a", reference.canonical.isEmpty {
                return .remove(what: "a link without an address in \(place)")
            }
            node.refer(to: target)
            return canonical
        case .data(let data):
            guard SVGRules.withData.contains(elementName) else {
                return .remove(what: "embedded data in \(place)")
            }
            guard data.content == .drawing else { return canonical }
            guard elementName != "font-face-uri" else {
                return .remove(what: "embedded data of type image/svg+xml in \(place)")
            }
            let what = embedded.objection(to: data.bytes)
            return what.map { .refuse(what: "\($0) in \(place)") } ?? canonical
        case .outside(let what):
            let isDrawing = what == "embedded data of type image/svg+xml"
            return .remove(
                what: isDrawing && elementName != "use"
                    ? "\(EmbeddedSVG.phrase) in an unknown encoding in \(place)"
                    : "\(what) in \(place)")
        }
    }

    /// Other attributes that name a file can name a part of this one only.
    private func file() -> SVGExaminer.Verdict {
        switch SVGReference(attribute.value).target {
        case .fragment: .keep
        case .data: .remove(what: "embedded data in \(place)")
        case .outside(let what): .remove(what: "\(what) in \(place)")
        }
    }

    private func target() -> SVGExaminer.Verdict {
        let target = String(
            decoding: attribute.value.filter { $0 > 0x20 }.prefix(100), as: UTF8.self)
        let name = target.localName
        let isUnsafe =
            !target.isPlainName || name == "href" || SVGRules.references.contains(name)
            || ["style", "base", "class", "id", "attributename"].contains(name)
            || name.utf8.starts(with: "on".utf8)
        guard isUnsafe, name != "class" else { return .keep }
        return .remove(what: "an animation of \(name) in \(place)")
    }

    private func style(_ node: inout ReferenceGraph.Node) -> SVGExaminer.Verdict {
        let isRead = attribute.namespace == .none && !SVGRules.isText(name)
        guard isRead, attribute.value.contains(where: { $0 == 0x28 || $0 == 0x40 || $0 == 0x5C })
        else { return .keep }
        let (reader, verdict) = StyleReader.judged(attribute.value, stylePlace, in: place)
        if case .remove = verdict { return verdict }
        guard reader.urlCount <= SVGLimits.mostAttributes else {
            return .remove(what: "too many URLs in \(place)")
        }
        node.uses += reader.uses
        return verdict
    }

    private var stylePlace: StyleReader.Place {
        if name == "style" { return .declarations }
        guard SVGRules.animated.contains(name) else { return .property(name) }
        let target = element.attributes.first { $0.name.localName == "attributename" }
        return .property(target.map { String(decoding: $0.value, as: UTF8.self).localName } ?? "")
    }
}
