/// Which attributes of raw HTML within Markdown name images.
enum ImageAttributes {
    /// Those of `tag` that do, in order.
    static func of(
        _ tag: HTMLTag, in bytes: Bytes
    ) -> [(attribute: HTMLAttribute, content: MarkdownSlot.Content)] {
        guard !tag.isEnd, let element = element(tag, in: bytes) else { return [] }
        var result: [(HTMLAttribute, MarkdownSlot.Content)] = []
        var seen: Set<String> = []
        for attribute in HTMLTokenizer.attributes(of: tag, in: bytes) {
            guard let name = name(attribute, of: element, in: bytes) else { continue }
            // Of several attributes with one name, HTML counts the first.
            guard seen.insert(name).inserted, !attribute.value.isEmpty else { continue }
            result.append(
                (attribute, .attribute(element: element, attribute: name, quote: attribute.quote)))
        }
        return result
    }

    private static func element(_ tag: HTMLTag, in bytes: Bytes) -> String? {
        switch tag.name.count {
        case 3: bytes.matches("img", at: tag.name.lowerBound) ? "img" : nil
        case 6: bytes.matches("source", at: tag.name.lowerBound) ? "source" : nil
        default: nil
        }
    }

    private static func name(
        _ attribute: HTMLAttribute, of element: String, in bytes: Bytes
    ) -> String? {
        switch attribute.name.count {
        case 3 where element == "img":
            bytes.matches("src", at: attribute.name.lowerBound) ? "src" : nil
        case 6: bytes.matches("srcset", at: attribute.name.lowerBound) ? "srcset" : nil
        default: nil
        }
    }
}
