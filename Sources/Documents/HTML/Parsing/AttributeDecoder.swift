internal import CGumbo

/// Decodes the entities in attribute values; nil for a value that could not be decoded.
///
/// One gumbo parse decodes all values that need it.
func decodedAttributes(_ sources: [[UInt8]]) -> [[UInt8]?] {
    var results: [[UInt8]?] = sources
    let indices = sources.indices.filter {
        sources[$0].contains { $0 == .ampersand || $0 == 0 || $0 == .carriageReturn }
    }
    guard !indices.isEmpty else { return results }
    var html: [UInt8] = []
    for index in indices {
        html += Array("<br a=\"".utf8)
        for byte in sources[index] {
            if byte == .doubleQuote { html += Array("&quot;".utf8) } else { html.append(byte) }
        }
        html += Array("\">".utf8)
    }
    var decoded: [[UInt8]] = []
    html.withUnsafeBufferPointer { html in
        guard let tree = HTMLTree(html) else { return }
        tree.forEach { node, _, isEntering in
            guard isEntering, node.pointee.isElement, node.pointee.v.element.tag == GUMBO_TAG_BR
            else { return }
            decoded += node.pointee.v.element.attributeList.map { Array($0.valueBytes) }
        }
    }
    let isComplete = decoded.count == indices.count
    for (position, index) in indices.enumerated() {
        results[index] = isComplete ? decoded[position] : nil
    }
    return results
}
