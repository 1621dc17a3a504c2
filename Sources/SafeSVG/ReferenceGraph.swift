/// The references between the elements of an SVG, to bound what a browser draws.
///
/// A `<use>`, a pattern, a marker, a mask or a filter is drawn with all content of its target, which
/// can refer to further ones. So a short file can stand for any number of elements.
struct ReferenceGraph {
    /// An element.
    struct Node {
        fileprivate let name: String
        fileprivate var identifier: [UInt8]?
        fileprivate var classes: [[UInt8]] = []
        /// The element that its `href` takes content from.
        fileprivate var content: [UInt8]?
        /// At least the number of its vertices, each of which can have a marker.
        fileprivate var vertices = 0
        /// The references in its attributes.
        var uses: [StyleReader.Use] = []

        /// The selectors that can match it.
        fileprivate var selectors: [StyleSelector] {
            [.any, .name(name)] + (identifier.map { [.identifier($0)] } ?? [])
                + classes.map { .styleClass($0) }
        }

        /// - Parameter name: The name of the element, in lower case and without its prefix.
        init(_ name: String) { self.name = name }

        /// Reads an attribute without a prefix.
        mutating func read(_ attribute: String, _ value: [UInt8]) {
            switch attribute {
            case "id": identifier = value
            case "class": classes = value.split(whereSeparator: \.isXMLSpace).map(Array.init)
            case "d", "points": vertices = value.count / 2 + 1
            case "x1", "x2": vertices = 2
            default: break
            }
        }

        /// Reads an `href` to a part of the file.
        mutating func refer(to target: [UInt8]) {
            if ReferenceGraph.elementsWithContent.contains(name), !target.isEmpty {
                content = target
            }
        }
    }

    /// Gradients are left out: they take colours from their target, and draw nothing.
    fileprivate static let elementsWithContent: Set<String> = [
        "use", "feimage", "pattern", "filter", "tref", "textpath", "hatch", "altglyph", "glyphref",
        "flowref", "flowtref",
    ]

    /// The elements that are not drawn with a paint, a mask or a filter of their own.
    private static let elementsWithoutStyle: Set<String> = [
        "filter", "feblend", "fecolormatrix", "fecomponenttransfer", "fecomposite",
        "feconvolvematrix", "fediffuselighting", "fedisplacementmap", "fedistantlight",
        "fedropshadow", "feflood", "fefunca", "fefuncb", "fefuncg", "fefuncr", "fegaussianblur",
        "feimage", "femerge", "femergenode", "femorphology", "feoffset", "fepointlight",
        "fespecularlighting", "fespotlight", "fetile", "feturbulence", "lineargradient",
        "radialgradient", "stop", "style", "metadata", "title", "desc",
    ]

    private var nodes: [Node] = []
    private var children: [[Int32]] = []
    private var open: [Int] = []
    private var sheetUses: [StyleReader.Use] = []

    var count: Int { nodes.count }

    mutating func enter(_ node: Node) {
        let index = nodes.count
        nodes.append(node)
        children.append([])
        if let parent = open.last { children[parent].append(Int32(index)) }
        open.append(index)
    }

    mutating func leave() { _ = open.popLast() }

    /// Adds the references of a style sheet.
    mutating func add(_ uses: [StyleReader.Use]) { sheetUses += uses }

    /// The objection to a document that stands for too many elements, or nil.
    var objection: String? {
        let hasReferences =
            !sheetUses.isEmpty || nodes.contains { $0.content != nil || !$0.uses.isEmpty }
        guard hasReferences else { return nil }
        guard let edges else { return "too many references" }
        var walk = ReferenceWalk(edges: edges, vertices: nodes.map(\.vertices))
        return walk.objection
    }

    /// The elements that each element is drawn with; nil if there are too many references.
    private var edges: [[ReferenceWalk.Edge]]? {
        var places: [[UInt8]: Int32] = [:]
        for (index, node) in nodes.enumerated() {
            if let name = node.identifier, places[name] == nil { places[name] = Int32(index) }
        }
        let sheet = SheetTargets(sheetUses, places)
        var edges: [[ReferenceWalk.Edge]] = []
        var count = 0
        for (node, children) in zip(nodes, children) {
            var targets = children.map { ReferenceWalk.Edge(target: $0, kind: .content) }
            if let target = node.content.flatMap({ places[$0] }) {
                targets.append(.init(target: target, kind: .content))
            }
            if !Self.elementsWithoutStyle.contains(node.name) {
                targets += node.uses.compactMap { use in
                    places[use.target].map { .init(target: $0, kind: .init(use.property)) }
                }
                for selector in node.selectors where !sheet.isEmpty { targets += sheet[selector] }
            }
            count += targets.count
            guard count <= SVGLimits.mostInstances else { return nil }
            edges.append(targets)
        }
        return edges
    }
}

/// The references of style sheets by the elements that they can apply to.
private struct SheetTargets {
    private var edges: [StyleSelector: Set<ReferenceWalk.Edge>] = [:]

    init(_ uses: [StyleReader.Use], _ places: [[UInt8]: Int32]) {
        for use in uses {
            guard let target = places[use.target] else { continue }
            let edge = ReferenceWalk.Edge(target: target, kind: .init(use.property))
            for selector in use.selectors ?? [] { edges[selector, default: []].insert(edge) }
        }
    }

    var isEmpty: Bool { edges.isEmpty }

    subscript(selector: StyleSelector) -> Set<ReferenceWalk.Edge> { edges[selector] ?? [] }
}
