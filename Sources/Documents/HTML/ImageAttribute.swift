/// An attribute of raw HTML within Markdown that names images.
struct ImageAttribute {
    var attribute: HTMLAttribute
    var content: MarkdownSlot.Content

    /// Those of `tag`, in order; of several with one name, HTML counts the first.
    static func all(of tag: HTMLTag, in bytes: Bytes) -> [ImageAttribute] {
        guard !tag.isEnd, let element = element(tag, in: bytes) else { return [] }
        var result: [ImageAttribute] = []
        var hasSource = false
        var hasSet = false
        var index = tag.name.upperBound
        while let attribute = HTMLTokenizer.attribute(in: bytes, from: &index) {
            let name: String
            if bytes.isNamed("srcset", attribute), !hasSet {
                hasSet = true
                name = "srcset"
            } else if element == "img", bytes.isNamed("src", attribute), !hasSource {
                hasSource = true
                name = "src"
            } else {
                continue
            }
            guard !attribute.value.isEmpty else { continue }
            result.append(
                ImageAttribute(
                    attribute: attribute,
                    content: .attribute(element: element, attribute: name, quote: attribute.quote)))
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
}

extension Bytes {
    fileprivate func isNamed(_ name: StaticString, _ attribute: HTMLAttribute) -> Bool {
        attribute.name.count == name.utf8CodeUnitCount
            && matches(name, at: attribute.name.lowerBound)
    }
}
