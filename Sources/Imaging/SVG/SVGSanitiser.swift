/// Removes everything from an SVG that could run or load something, and keeps all other bytes.
///
/// The parser finds the places, and this type removes them. The parser then checks the result.
struct SVGSanitiser {
    private let bytes: [UInt8]
    private let findings: [SVGFinding.Place: SVGFinding]
    private var parts: [(range: Range<Int>, bytes: [UInt8])] = []

    /// The document without the findings; nil if its tokens do not match them.
    static func cleaned(_ bytes: [UInt8], of findings: [SVGFinding]) -> [UInt8]? {
        guard let tokens = XMLTokens.all(in: bytes) else { return nil }
        var sanitiser = SVGSanitiser(bytes, findings)
        sanitiser.run(tokens)
        return bytes.replacing(sanitiser.parts)
    }

    private init(_ bytes: [UInt8], _ findings: [SVGFinding]) {
        self.bytes = bytes
        self.findings = Dictionary(findings.map { ($0.place, $0) }) { first, _ in first }
    }

    private mutating func run(_ tokens: [XMLTokens.Token]) {
        var elementCount = 0
        var instructionCount = 0
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            var next = index + 1
            switch token.kind {
            case .startTag, .emptyTag:
                elementCount += 1
                let end = Self.end(ofElementAt: index, in: tokens)
                let content = tokens[min(index + 1, end)..<end]
                let isRemoved =
                    findings[.element(elementCount)] != nil
                    || findings[.style(elementCount)] != nil && !cleanStyle(content)
                if isRemoved {
                    parts.append((token.range.lowerBound..<tokens[end].range.upperBound, []))
                    elementCount += content.count { $0.kind == .startTag || $0.kind == .emptyTag }
                    instructionCount += content.count { $0.kind == .instruction }
                    next = end + 1
                } else {
                    cleanAttributes(of: token.range, elementCount)
                }
            case .instruction:
                instructionCount += 1
                if findings[.instruction(instructionCount)] != nil {
                    parts.append((token.range, []))
                }
            default: break
            }
            index = next
        }
    }

    /// The index of the last token of an element.
    private static func end(ofElementAt start: Int, in tokens: [XMLTokens.Token]) -> Int {
        guard tokens[start].kind == .startTag else { return start }
        var depth = 0
        for index in start..<tokens.count {
            switch tokens[index].kind {
            case .startTag: depth += 1
            case .endTag:
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        return tokens.count - 1
    }

    private mutating func cleanAttributes(of tag: Range<Int>, _ element: Int) {
        for attribute in XMLAttributeRange.all(of: tag, in: bytes) {
            guard let finding = findings[.attribute(element, attribute.name)] else { continue }
            let isStyle = finding.isStyle && !bytes[attribute.value].contains(UInt8(ascii: "&"))
            if isStyle, let cleaned = cleanedStyle(attribute.value) {
                parts += cleaned
            } else {
                parts.append((attribute.range, []))
            }
        }
    }

    /// Removes unsafe parts of a style sheet; returns false if it is not a single piece of text.
    private mutating func cleanStyle(_ content: ArraySlice<XMLTokens.Token>) -> Bool {
        guard content.count == 1, let token = content.first else { return false }
        var range = token.range
        switch token.kind {
        case .text where !bytes[range].contains(UInt8(ascii: "&")): break
        case .characterData: range = range.lowerBound + 9..<range.upperBound - 3
        default: return false
        }
        guard let cleaned = cleanedStyle(range) else { return false }
        parts += cleaned
        return true
    }

    private func cleanedStyle(_ range: Range<Int>) -> [(range: Range<Int>, bytes: [UInt8])]? {
        let parts = StyleRules.outsideParts(of: bytes, in: range)
        let rest = bytes[..<range.upperBound].replacing(parts, from: range.lowerBound)
        return StyleRules.objection(to: String(decoding: rest, as: UTF8.self)) == nil ? parts : nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate func replacing(
        _ parts: [(range: Range<Int>, bytes: [UInt8])], from start: Int
    ) -> [UInt8] {
        let shifted = parts.map {
            ($0.range.lowerBound - start..<$0.range.upperBound - start, $0.bytes)
        }
        return Array(self[start...]).replacing(shifted)
    }
}
