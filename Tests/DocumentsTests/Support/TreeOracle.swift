import CCmarkGFM
import CGumbo
import DocumentSyntax

@testable import Documents

/// Whether two documents have the same tree except for URLs.
///
/// The trees are compared node by node, independently of the comparison in
/// ``rewrite(_:extraction:replacements:dropping:)``.
///
/// Style sheets are compared token by token. XML and data have no tree here and always count as
/// equal.
func isSameTree(_ first: [UInt8], _ second: [UInt8], _ kind: DocumentKind) -> Bool {
    switch kind {
    case .markdown: markdownNodes(first) == markdownNodes(second)
    case .mdx: markdownNodes(withoutComments(first)) == markdownNodes(withoutComments(second))
    // Where gumbo reads the document otherwise than the standard, its tree tells nothing.
    case .html: isSamePage(body(of: first), body(of: second))
    case .css: isSameStyle(first, second)
    case .xml, .json, .script, .text: true
    }
}

/// The text of a document after its front matter, which is for the site generator alone.
private func body(of document: [UInt8]) -> [UInt8] {
    Array(document[document.withUnsafeBufferPointer { FrontMatter(in: $0)?.end ?? 0 }...])
}

private func isSamePage(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    !isReadByStandard(first)
        || htmlNodes(withVisibleControls(first)) == htmlNodes(withVisibleControls(second))
}

/// A document with other characters for control characters.
///
/// gumbo makes one character of all of them, so that it takes different attributes for equal ones and
/// drops the earliest of four equal elements (13.2.4.3), which the standard does not.
private func withVisibleControls(_ document: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for byte in document {
        switch byte {
        case 0x01...0x08, 0x0B, 0x0E...0x1F, 0x7F:
            result += Array(String(Unicode.Scalar(0x2400 + UInt16(byte)) ?? " ").utf8)
        default: result.append(byte)
        }
    }
    return result
}

private func markdownNodes(_ bytes: [UInt8]) -> [String] {
    bytes.withUnsafeBufferPointer { bytes in
        let body = FrontMatter(in: bytes)?.end ?? 0
        var nodes: [String] = []
        MarkdownTree(UnsafeBytes(rebasing: bytes[body...]))?.forEach { node, type, isEntering in
            guard isEntering else { return nodes.append("end") }
            let name = text(cmark_node_get_type_string(node))
            switch type {
            case CMARK_NODE_TEXT where nodes.last?.hasPrefix("text ") == true:
                // cmark may split a text into any number of nodes.
                nodes[nodes.count - 1] += text(cmark_node_get_literal(node))
            case CMARK_NODE_TEXT, CMARK_NODE_CODE, CMARK_NODE_CODE_BLOCK:
                nodes.append("\(name) \(text(cmark_node_get_literal(node)))")
            case CMARK_NODE_IMAGE:
                nodes.append("\(name) \(text(cmark_node_get_title(node)))")
            case CMARK_NODE_LINK:
                nodes.append(
                    "\(name) \(text(cmark_node_get_url(node))) \(text(cmark_node_get_title(node)))")
            default: nodes.append(name)
            }
        }
        return nodes
    }
}

private func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { MDXText($0).result }
}

/// Whether gumbo reads a document as the standard does.
private func isReadByStandard(_ document: [UInt8]) -> Bool {
    guard PlacedElement.ours(in: document) == PlacedElement.gumbos(in: document) else {
        return false
    }
    // If only text follows an end tag that gumbo takes for another, the elements are the same.
    return document.withUnsafeBufferPointer { bytes in
        var result = true
        GumboTree(bytes)?.forEach { node, _, isEntering in
            guard isEntering, node.pointee.isElement else { return }
            if node.pointee.v.element.isClosedByAnother { result = false }
        }
        return result
    }
}

private func htmlNodes(_ bytes: [UInt8]) -> [String] {
    bytes.withUnsafeBufferPointer { bytes in
        var nodes: [String] = []
        GumboTree(bytes)?.forEach { node, depth, isEntering in
            guard isEntering else { return }
            guard node.pointee.isElement else {
                let isSheet =
                    node.pointee.parent.map { $0.pointee.isElement && holdsURLs($0) } == true
                if node.pointee.type != GUMBO_NODE_DOCUMENT, !isSheet {
                    nodes.append("\(depth) \(text(node.pointee.v.text.text))")
                }
                return
            }
            let element = node.pointee.v.element
            let attributes = element.attributeList.map { attribute in
                let name = text(attribute.name)
                // The end of a template may precede the name.
                let plain = name.split(separator: "}").last.map(String.init) ?? name
                return urlAttributes.contains(plain) ? name : "\(name)=\(text(attribute.value))"
            }
            nodes.append("\(depth) <\(element.name)> \(attributes)")
        }
        return nodes
    }
}

private func holdsURLs(_ node: GumboTree.Node) -> Bool {
    let tag = node.pointee.v.element.tag
    return tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_SCRIPT
}

/// The attributes whose values a rewrite may change.
///
/// As in the standard, `xlink:href` becomes `href` in SVG, but not if the end of a template precedes
/// it.
private let urlAttributes: Set<String> = Set(
    ReferenceRules.table
        .filter { $0.syntax != .control && $0.syntax != .mediaType }
        .compactMap(\.name))

private func text(_ text: UnsafePointer<CChar>?) -> String {
    text.map { String(cString: $0) } ?? ""
}
