/// The content of a raw text element, such as a script, a style or a title, in which tags are not
/// parsed.
package struct RawText {
    private let bytes: UnsafeBytes
    private let name: HTMLName

    /// The content of an element with this name.
    package init(_ bytes: UnsafeBytes, name: HTMLName) {
        self.bytes = bytes
        self.name = name
    }

    /// The name of a raw text element; nil if it is another element.
    package static func name(_ bytes: UnsafeBytes, _ range: Range<Int>) -> HTMLName? {
        let name = HTMLName(bytes[range])
        return name.isRawText ? name : nil
    }

    /// The names of the raw text elements that have an end tag in `text`.
    package static func namesOfEndTags(in text: UnsafeBytes) -> Set<HTMLName> {
        var result: Set<HTMLName> = []
        for found in text.places(of: .less) {
            guard found + 1 < text.count, text[found + 1] == .slash else { continue }
            var end = found + 2
            while end < text.count, end - found < 12, text[end].isASCIILetter { end += 1 }
            if let name = name(text, found + 2..<end) { result.insert(name) }
        }
        return result
    }

    /// The offset of the element's end tag, or the end of the text.
    package func end(from start: Int) -> Int {
        if name == .plaintext { return bytes.count }
        let isScript = name == .script
        // After `<!-- <script>` in a script, the next `</script>` does not end the outer script.
        var isEscaped = false
        var isDoublyEscaped = false
        var index = start
        while let open = nextMark(from: index, isScript: isScript && isEscaped) {
            index = open + 1
            if bytes[open] == .hyphen {
                if bytes.matches("-->", at: open) { (isEscaped, isDoublyEscaped) = (false, false) }
            } else if open + 1 < bytes.count, bytes[open + 1] == .slash, isTag(at: open + 2) {
                guard isDoublyEscaped else { return open }
                isDoublyEscaped = false
            } else if isScript, !isEscaped, bytes.matches("!--", at: open + 1) {
                isEscaped = true
                index = open + 2
            } else if isEscaped, isTag(at: open + 1) {
                isDoublyEscaped = true
            }
        }
        return bytes.count
    }

    /// The next `<`, or `-` if a comment in a script may end there.
    private func nextMark(from index: Int, isScript: Bool) -> Int? {
        if !isScript { return bytes.firstIndex(of: .less, from: index) }
        guard index < bytes.count else { return nil }
        return bytes[index...].firstIndex { $0 == .less || $0 == .hyphen }
    }

    private func isTag(at start: Int) -> Bool {
        var end = start
        while end < bytes.count, !bytes[end].endsTagName {
            end += 1
            if end - start > 16 { return false }
        }
        return end < bytes.count && HTMLName(bytes[start..<end]) == name
    }
}
