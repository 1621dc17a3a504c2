/// A check, before gumbo parses a document, that parsing takes about linear time and memory.
///
/// For each tag gumbo searches the open elements, and for each attribute those of its tag. After a
/// paragraph or a similar element it reconstructs all formatting elements that are still open. This
/// check counts open elements by a reduced form of the HTML rules. Where the two may differ, it
/// counts more. No real page comes near the limits.
struct HTMLCost {
    /// The limit that the document exceeds, as text that follows "the document has"; nil if it
    /// exceeds none.
    static func excess(in bytes: UnsafeBytes) -> String? {
        var cost = HTMLCost(bytes)
        return cost.run()
    }

    private static let mostAttributes = 256
    private static let deepestNesting = 4096
    private static let mostSteps = 100_000_000
    private static let mostCopies = 1_000_000
    private static let mostCopiedBytes = 64 << 20
    /// The memory of an attribute in the tree besides its text, in bytes; a low estimate.
    private static let attributeSize = 32
    /// The number of innermost open elements that an end tag is compared with.
    private static let searchDepth = 64

    private struct Element {
        var kind: HTMLElementClass
        var name: Int
        /// A hash of the tag with its attributes.
        var tag: Int
        /// The size of a copy of the element; 0 if copies are not counted.
        var size = 0
        /// The formatting elements that were open outside of the element.
        var formattingOutside: Formatting
    }

    /// The formatting elements that the parser would reconstruct.
    private struct Formatting {
        var count = 0
        var size = 0
        /// The size of the open link.
        ///
        /// There is at most one.
        var link = 0
    }

    private let bytes: UnsafeBytes
    private var stack: [Element] = []
    private var formatting = Formatting()
    /// The number of formatting elements for each tag; gumbo keeps at most three with the same tag.
    private var sameTag: [Int: Int] = [:]
    /// The number of open elements in which gumbo may parse raw text as tags.
    private var ambiguousCount = 0
    /// Whether gumbo may see other tags than this check does.
    ///
    /// From then on, this check closes no element.
    private var isUncertain = false

    private init(_ bytes: UnsafeBytes) { self.bytes = bytes }

    private mutating func run() -> String? {
        var tokenizer = HTMLTokenizer()
        var position = 0
        var steps = 0
        var copies = 0
        var copiedBytes = 0
        var tags = 0
        while let tag = tokenizer.nextTag(in: bytes, from: &position) {
            tags += 1
            if tag.isEnd { close(tag) } else { open(tag) }
            steps += stack.count
            copies += formatting.count
            copiedBytes += formatting.size + formatting.link
            if stack.count > Self.deepestNesting || steps > Self.mostSteps + 128 * tags {
                return "elements nested too deeply"
            }
            if copies > Self.mostCopies + 8 * tags
                || copiedBytes > Self.mostCopiedBytes + 8 * bytes.count
            {
                return "too many unclosed formatting elements"
            }
        }
        let hasLongTag = tokenizer.mostAttributes > Self.mostAttributes
        return hasLongTag ? "a tag with more than \(Self.mostAttributes) attributes" : nil
    }

    private mutating func open(_ tag: HTMLTag) {
        checkRawText(after: tag)
        let kind = HTMLElementClass(bytes, tag.name)
        let name = hash(tag.name)
        if isInForeignContent {
            if HTMLElementClass.endsForeignContent(bytes, tag.name) {
                while let last = stack.last, last.kind != .foreign { removeLast() }
                removeLast()
            } else if tag.isSelfClosing {
                return
            }
        }
        if !isUncertain { closeImplied(by: kind, name) }
        switch kind {
        case .void: return
        case .frameset:
            ambiguousCount += 1
            return
        case .select:
            // A `<select>` in another one only closes that one.
            if closeSelect() { return }
            ambiguousCount += 1
        case .foreign: ambiguousCount += 1
        default: break
        }
        var element = Element(kind: kind, name: name, tag: 0, formattingOutside: formatting)
        if kind == .formatting {
            element.tag = hash(tag.range)
            element.size = addFormatting(element, size: size(of: tag))
        }
        stack.append(element)
    }

    private func size(of tag: HTMLTag) -> Int {
        let text = UnsafeBytes(rebasing: bytes[..<tag.range.upperBound])
        var index = tag.name.upperBound
        var attributes = 0
        while HTMLTokenizer.attribute(in: text, from: &index) != nil { attributes += 1 }
        return tag.range.count + attributes * Self.attributeSize
    }

    /// Sets ``isUncertain`` if it is not known whether the following text is raw text.
    ///
    /// Scripts, styles and titles contain no tags in HTML, but they do in SVG and MathML. In
    /// `<select>` and `<frameset>` their tags are dropped. It makes no difference if they contain
    /// no `<`.
    private mutating func checkRawText(after tag: HTMLTag) {
        guard ambiguousCount > 0, let name = RawText.name(bytes, tag.name) else { return }
        let start = tag.range.upperBound
        let end = RawText(bytes, name: name).end(from: start)
        if bytes[start..<end].contains(.less) { isUncertain = true }
    }

    private var isInForeignContent: Bool {
        guard !isUncertain, ambiguousCount > 0 else { return false }
        return stack.suffix(Self.searchDepth).last { $0.kind != .other }?.kind == .foreign
    }

    private mutating func closeImplied(by kind: HTMLElementClass, _ name: Int) {
        if kind.closesParagraph { close(.paragraph, Self.paragraphName) }
        switch kind {
        case .listItem: close(kind, name)
        case .cell: closeCells(by: name)
        case .option where stack.last?.name == name: removeLast()
        case .formatting where name == Self.linkName: close(kind, name)
        default: break
        }
    }

    /// Closes the open `<select>` if only options are open in it.
    private mutating func closeSelect() -> Bool {
        guard !isUncertain,
            let index = stack.indices.suffix(Self.searchDepth).last(where: {
                stack[$0].kind != .option
            }),
            stack[index].kind == .select
        else { return false }
        while stack.count > index { removeLast() }
        return true
    }

    /// Closes the previous cell, or the previous row with its cells, and so on.
    private mutating func closeCells(by name: Int) {
        let level = Self.cellLevels[name] ?? 0
        for index in stack.indices.suffix(Self.searchDepth).reversed() {
            let element = stack[index]
            guard element.kind == .cell else {
                if HTMLElementClass.cell.closes(across: element.kind) { continue }
                return
            }
            guard Self.cellLevels[element.name] ?? 0 >= level else { return }
            while stack.count > index { removeLast() }
        }
    }

    private mutating func close(_ tag: HTMLTag) {
        guard !isUncertain else { return }
        close(HTMLElementClass(bytes, tag.name), hash(tag.name))
    }

    private mutating func close(_ kind: HTMLElementClass, _ name: Int) {
        for index in stack.indices.suffix(Self.searchDepth).reversed() {
            guard stack[index].name == name, stack[index].kind == kind else {
                if kind.closes(across: stack[index].kind) { continue }
                return
            }
            if kind == .formatting { removeFormatting(stack[index]) }
            if kind.isClosedAlone {
                stack.remove(at: index)
            } else {
                while stack.count > index { removeLast() }
            }
            return
        }
    }
}

extension HTMLCost {
    private mutating func removeLast() {
        guard let element = stack.popLast() else { return }
        switch element.kind {
        case .foreign, .select: ambiguousCount -= 1
        case .cell, .boundary:
            // Formatting elements that were opened inside are not reconstructed outside.
            formatting.link = element.formattingOutside.link
            guard formatting.count > element.formattingOutside.count else { return }
            formatting = element.formattingOutside
            sameTag.removeAll()
        default: break
        }
    }

    /// - Returns: The counted size, which is subtracted when the element is closed.
    private mutating func addFormatting(_ element: Element, size: Int) -> Int {
        // A link closes the previous one, so at most one is reconstructed.
        if element.name == Self.linkName {
            formatting.link = size
            return size
        }
        guard sameTag[element.tag, default: 0] < 3 else { return 0 }
        sameTag[element.tag, default: 0] += 1
        formatting.count += 1
        formatting.size += size
        return size
    }

    private mutating func removeFormatting(_ element: Element) {
        if element.name == Self.linkName {
            formatting.link = 0
        } else if element.size > 0 {
            sameTag[element.tag, default: 1] -= 1
            formatting.count -= 1
            formatting.size -= element.size
        }
    }

    private func hash(_ range: Range<Int>) -> Int { Self.hash(bytes[range]) }

    /// A hash that is equal for names that close each other.
    private static func hash(_ name: some Collection<UInt8>) -> Int {
        let hash = name.reduce(into: name.count) { $0 = $0 &* 31 &+ Int($1.lowercased) }
        return hash == termName ? descriptionName : hash
    }

    private static let termName = plainHash("dt")
    private static let descriptionName = plainHash("dd")
    private static let paragraphName = plainHash("p")
    private static let linkName = plainHash("a")

    private static let cellLevels: [Int: Int] = [
        plainHash("tr"): 1, plainHash("td"): 2, plainHash("th"): 2,
    ]

    private static func plainHash(_ name: String) -> Int {
        name.utf8.reduce(into: name.utf8.count) { $0 = $0 &* 31 &+ Int($1) }
    }
}
