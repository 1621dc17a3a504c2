import CGumbo
import DocumentSyntax

@testable import Documents

/// The tree that gumbo parses from an HTML document, with which ours is compared.
struct GumboTree: ~Copyable {
    typealias Node = UnsafeMutablePointer<GumboNode>

    private let output: UnsafeMutablePointer<GumboOutput>

    /// - Parameter bytes: The document, which must outlive the tree.
    init?(_ bytes: UnsafeBytes) {
        var options = kGumboDefaultOptions
        // At a repeated attribute that it may not record as an error, gumbo keeps the name and joins
        // that of the next attribute to it.
        options.max_errors = -1
        let output = bytes.withMemoryRebound(to: CChar.self) {
            gumbo_parse_with_options(&options, $0.baseAddress, $0.count)
        }
        guard let output else { return nil }
        self.output = output
    }

    deinit {
        var options = kGumboDefaultOptions
        gumbo_destroy_output(&options, output)
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

    /// Whether gumbo has closed the element at the end tag of another one.
    ///
    /// It takes HTML elements that it does not know for each other.
    var isClosedByAnother: Bool {
        let end = original_end_tag.bytes.dropFirst(2).prefix { !$0.endsTagName }
        guard tag == GUMBO_TAG_UNKNOWN, tag_namespace == GUMBO_NAMESPACE_HTML, !end.isEmpty
        else { return false }
        let endName = String(decoding: end.map(\.lowercased), as: UTF8.self)
        return endName != name && gumbo_tag_enum(endName) == GUMBO_TAG_UNKNOWN
    }

    /// The attributes in order; no name occurs twice.
    var attributeList: [GumboAttribute] {
        (0..<Int(attributes.length)).compactMap {
            attributes.data[$0]?.assumingMemoryBound(to: GumboAttribute.self).pointee
        }
    }
}
