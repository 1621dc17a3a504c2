internal import CBoundedParsers
internal import CGumbo
internal import Glibc

/// The tree that gumbo parses from an HTML document.
struct HTMLTree: ~Copyable {
    typealias Node = UnsafeMutablePointer<GumboNode>

    private let arena: ParserArena
    private let output: UnsafeMutablePointer<GumboOutput>

    /// Parses a document; nil if a limit of ``ParserLimits`` is exceeded.
    ///
    /// - Parameter bytes: The document. It must outlive the tree, which points into it, and should
    ///   have passed ``HTMLCost``.
    init?(_ bytes: UnsafeBytes) {
        let arena = ParserArena()
        let output = bytes.withMemoryRebound(to: CChar.self) { text in
            parser_parse_html(arena.pointer, text.baseAddress, text.count)
        }
        guard let output else { return nil }
        self.arena = arena
        self.output = UnsafeMutablePointer(output)
    }

    /// Visits each node on entry and on exit, without recursion.
    ///
    /// The depth of the document node is 0.
    func forEach(_ visit: (Node, _ depth: Int, _ isEntering: Bool) -> Void) {
        guard let document = output.pointee.document else { return }
        var stack: [(node: Node, next: Int)] = [(document, 0)]
        visit(document, 0, true)
        while let top = stack.last {
            let children = top.node.pointee.children
            guard top.next < Int(children.length),
                let child = children.data[top.next]?.assumingMemoryBound(to: GumboNode.self)
            else {
                stack.removeLast()
                visit(top.node, stack.count, false)
                continue
            }
            stack[stack.count - 1].next += 1
            visit(child, stack.count, true)
            if child.pointee.isElement {
                stack.append((child, 0))
            } else {
                visit(child, stack.count, false)
            }
        }
    }
}

extension GumboNode {
    var isElement: Bool { type == GUMBO_NODE_ELEMENT || type == GUMBO_NODE_TEMPLATE }

    /// The children; a text or a comment has none.
    fileprivate var children: GumboVector {
        if isElement { return v.element.children }
        return type == GUMBO_NODE_DOCUMENT ? v.document.children : kGumboEmptyVector
    }
}

extension GumboStringPiece {
    var bytes: UnsafeBytes {
        UnsafeBytes(
            start: data.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) },
            count: length)
    }
}

extension GumboElement {
    /// The name in lower case.
    var name: String {
        if tag != GUMBO_TAG_UNKNOWN { return String(cString: gumbo_normalized_tagname(tag)) }
        return String(decoding: writtenName.map(\.lowercased), as: UTF8.self)
    }

    /// The name as written.
    var writtenName: UnsafeBytes {
        var piece = original_tag
        gumbo_tag_from_original_text(&piece)
        return piece.bytes
    }

    /// The attributes in order; no name occurs twice.
    var attributeList: [GumboAttribute] {
        (0..<Int(attributes.length)).compactMap {
            attributes.data[$0]?.assumingMemoryBound(to: GumboAttribute.self).pointee
        }
    }

    func attribute(_ name: String) -> GumboAttribute? {
        withUnsafePointer(to: attributes) { gumbo_get_attribute($0, name)?.pointee }
    }
}

extension GumboAttribute {
    var valueBytes: UnsafeBytes {
        let start = UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self)
        return UnsafeBytes(start: start, count: strlen(value))
    }

    /// The name in lower case.
    var nameBytes: UnsafeBytes {
        let start = UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self)
        return UnsafeBytes(start: start, count: strlen(name))
    }
}
