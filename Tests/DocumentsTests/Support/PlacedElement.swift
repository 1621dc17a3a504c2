import CGumbo
import DocumentSyntax

@testable import Documents

/// An element in a tree, by the place of its tag.
struct PlacedElement: Hashable, CustomStringConvertible {
    var offset: Int
    var name: String
    var space: Int
    var isInPicture: Bool

    var description: String { "\(offset):\(name)/\(space)\(isInPicture ? "/picture" : "")" }
}

extension PlacedElement {
    /// The elements that ``TreeSimulation`` finds in a document.
    static func ours(in document: [UInt8]) -> [PlacedElement] {
        document.withUnsafeBufferPointer { bytes in
            var tokenizer = HTMLTokenizer(isGuided: true)
            var tree = TreeSimulation(bytes)
            var position = 0
            var result: [PlacedElement] = []
            while let token = tokenizer.next(in: bytes, from: &position) {
                switch token {
                case .text(let range), .cdata(let range): tree.text(range)
                case .comment, .declaration, .doctype: break
                case .tag(let tag):
                    guard !tag.isEnd else {
                        tree.end(tag)
                        break
                    }
                    let placement = tree.start(tag)
                    if let name = tree.rawText { tokenizer.state = .rawText(name) }
                    guard let placement, !placement.isRepeated else { break }
                    let isKnown = placement.name != .other
                    result.append(
                        PlacedElement(
                            offset: tag.range.lowerBound,
                            name: isKnown
                                ? placement.name.label
                                : UnsafeBytes(rebasing: bytes[tag.name]).lowercasedText,
                            space: [0, 2, 1][Int(placement.space.rawValue)],
                            isInPicture: placement.isInPicture
                                && voidNames.contains(placement.name.label)))
                }
                tokenizer.readsCDATA = tree.isInForeignContent
            }
            return result
        }
    }

    /// The elements of gumbo's tree, copies left out.
    static func gumbos(in document: [UInt8]) -> [PlacedElement] {
        document.withUnsafeBufferPointer { bytes in
            var result: Set<PlacedElement> = []
            GumboTree(bytes)?.forEach { node, _, isEntering in
                guard isEntering, node.pointee.isElement, let base = bytes.baseAddress,
                    let tag = node.pointee.v.element.original_tag.data, tag.pointee == 0x3C
                else { return }
                let element = node.pointee.v.element
                let parent = node.pointee.parent
                let isInPicture =
                    parent.map { $0.pointee.isElement && $0.pointee.v.element.name == "picture" }
                    == true
                let isVoid = voidNames.contains(element.name)
                result.insert(
                    PlacedElement(
                        offset: UnsafeRawPointer(tag) - UnsafeRawPointer(base), name: element.name,
                        space: Int(element.tag_namespace.rawValue),
                        isInPicture: isInPicture && isVoid))
            }
            return result.sorted { $0.offset < $1.offset }
        }
    }

    private static let voidNames: Set<String> = [
        "img", "source", "input", "br", "hr", "embed", "area", "link", "meta", "base", "param",
        "track", "wbr", "col", "frame", "keygen", "bgsound", "basefont",
    ]
}
