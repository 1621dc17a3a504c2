/// The content of a raw text element, such as a script, a style or a title, in which tags are not
/// parsed.
struct RawText {
    private let bytes: UnsafeBytes
    private let name: [UInt8]

    init(_ bytes: UnsafeBytes, name: [UInt8]) {
        self.bytes = bytes
        self.name = name
    }

    /// The element's name in lower case; nil if it is not a raw text element.
    static func name(_ bytes: UnsafeBytes, _ range: Range<Int>) -> [UInt8]? {
        guard range.count >= 3, range.count <= 9 else { return nil }
        let name = names.first {
            $0.utf8CodeUnitCount == range.count && bytes.matches($0, at: range.lowerBound)
        }
        return name.map { Array(UnsafeBufferPointer(start: $0.utf8Start, count: range.count)) }
    }

    /// The names of the raw text elements that have an end tag in `text`.
    static func namesOfEndTags(in text: UnsafeBytes) -> Set<[UInt8]> {
        var result: Set<[UInt8]> = []
        var open = text.firstIndex(of: .less, from: 0)
        while let found = open {
            open = text.firstIndex(of: .less, from: found + 1)
            guard found + 1 < text.count, text[found + 1] == .slash else { continue }
            var end = found + 2
            while end < text.count, end - found < 12, text[end].isASCIILetter { end += 1 }
            if let name = name(text, found + 2..<end) { result.insert(name) }
        }
        return result
    }

    private static let names: [StaticString] = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "plaintext",
    ]

    /// The offset of the element's end tag, or the end of the text.
    func end(from start: Int) -> Int {
        if name == Array("plaintext".utf8) { return bytes.count }
        let isScript = name == Array("script".utf8)
        // After `<!-- <script>` in a script, the next `</script>` does not end the outer script.
        var isEscaped = false
        var isDoublyEscaped = false
        var index = start
        while let open = nextMark(from: index, isScript: isScript && isEscaped) {
            index = open + 1
            if bytes[open] == .hyphen {
                if bytes.matches("-->", at: open) { (isEscaped, isDoublyEscaped) = (false, false) }
            } else if isTag(at: open + 2), bytes[open + 1] == .slash {
                guard isDoublyEscaped else { return open }
                isDoublyEscaped = false
            } else if isScript, bytes.matches("!--", at: open + 1) {
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
        let end = start + name.count
        guard end < bytes.count, bytes[end].endsTagName else { return false }
        return zip(bytes[start..<end], name).allSatisfy { $0.lowercased == $1 }
    }
}
