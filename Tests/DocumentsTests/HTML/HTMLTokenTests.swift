import DocumentSyntax
import Foundation
import Testing

@testable import Documents

/// The cases of html5lib's tokenizer tests that begin in one state (MIT, James Graham and others).
///
/// In the file, a line with `#` names a state and the element whose end tag ends raw text. Each
/// other line is an input and its tokens, with a tab between them. Tags, comments and declarations
/// are in braces.
private struct TokenCases: CustomTestStringConvertible, Sendable {
    struct Case: Sendable {
        var input: String
        var tokens: String
    }

    var state: String
    var element: String
    var cases: [Case] = []

    var testDescription: String { "\(state) \(element)" }

    static let all: [TokenCases] = {
        guard
            let url = Bundle.module.url(
                forResource: "html-tokens", withExtension: "txt", subdirectory: "Resources"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        var result: [TokenCases] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") {
                let words = line.dropFirst(2).split(separator: " ")
                let isNamed = ["script", "textarea", "xmp", "plaintext"].contains(words.last ?? "")
                result.append(
                    TokenCases(
                        state: words.dropLast(isNamed ? 1 : 0).joined(separator: " "),
                        element: isNamed ? String(words[words.count - 1]) : ""))
            } else if let tab = line.firstIndex(of: "\t") {
                // The case begins inside of a section.
                let opening = result[result.count - 1].start.readsCDATA ? "<![CDATA[" : ""
                result[result.count - 1].cases.append(
                    Case(
                        input: opening + unescaped(line[..<tab]),
                        tokens: String(line[line.index(after: tab)...])))
            }
        }
        return result
    }()

    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var rest = text
        while let character = rest.popFirst() {
            guard character == "\\" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": result += "\n"
            case "r": result += "\r"
            case "t": result += "\t"
            case "u":
                let digits = rest.dropFirst().prefix { $0 != "}" }
                rest = rest.dropFirst(digits.count + 2)
                result.unicodeScalars.append(
                    UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? " ")
            default: result += "\\"
            }
        }
        return result
    }

    /// The state of the tokenizer.
    var start: (state: HTMLTokenizer.State, readsCDATA: Bool) {
        switch state {
        case "PLAINTEXT": (.rawText(.plaintext), false)
        case "RCDATA": (.rawText(name ?? .title), false)
        case "RAWTEXT": (.rawText(name ?? .noframes), false)
        case "Script data": (.rawText(name ?? .script), false)
        case "CDATA section": (.data, true)
        default: (.data, false)
        }
    }

    private var name: HTMLName? { HTMLName.allCases.first { $0.label == element } }
}

/// The tokens of a text, written as in the cases.
private struct WrittenTokens {
    private let bytes: UnsafeBytes
    private(set) var text = ""

    init(_ bytes: UnsafeBytes, isReferenceDecoded: Bool, from start: (HTMLTokenizer.State, Bool)) {
        self.bytes = bytes
        var tokenizer = HTMLTokenizer(isGuided: true)
        (tokenizer.state, tokenizer.readsCDATA) = start
        var position = 0
        while true {
            let state = tokenizer.state
            guard let token = tokenizer.next(in: bytes, from: &position) else { break }
            switch token {
            case .text(let range):
                let isRaw = state != .data
                text += Self.escaped(
                    value(range, isRaw: isRaw, isDecoded: !isRaw || isReferenceDecoded))
            case .cdata(let range):
                text += Self.escaped(value(range, isRaw: false, isDecoded: false))
            case .comment(let range), .declaration(let range):
                text += "{!" + Self.escaped(value(range, isRaw: true, isDecoded: false)) + "}"
            case .doctype: text += "{DOCTYPE}"
            case .tag(let tag): add(tag, tokenizer.attributes)
            }
        }
    }

    private mutating func add(_ tag: HTMLTag, _ attributes: [HTMLAttribute]) {
        text += tag.isEnd ? "{/" : "{"
        text += Self.escaped(name(tag.name))
        if !tag.isEnd {
            var names: Set<String> = []
            for attribute in attributes {
                let name = name(attribute.name)
                guard names.insert(name).inserted else { continue }
                let value = String(
                    decoding: DecodedText(UnsafeBytes(rebasing: bytes[attribute.value])).bytes,
                    as: UTF8.self)
                text += " \(Self.escaped(name))=\"\(Self.escaped(value))\""
            }
            if tag.isSelfClosing { text += " /" }
        }
        text += "}"
    }

    private func name(_ range: Range<Int>) -> String {
        UnsafeBytes(rebasing: bytes[range]).lowercasedText.replacing("\0", with: "\u{FFFD}")
    }

    private func value(_ range: Range<Int>, isRaw: Bool, isDecoded: Bool) -> String {
        let source = UnsafeBytes(rebasing: bytes[range])
        let text = isDecoded ? DecodedText(source, isAttribute: false).bytes : Array(source)
        var result = String(decoding: text, as: UTF8.self)
        if !isDecoded {
            result = result.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        }
        return isRaw ? result.replacing("\0", with: "\u{FFFD}") : result
    }

    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            case "{", "}", "\"": "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            case " "..."~": String(scalar)
            default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }.joined()
    }
}

/// Tests the tokenizer state by state.
@Suite(.timeLimit(.minutes(10)))
struct HTMLTokenTests {
    @Test func readsAllCases() {
        #expect(TokenCases.all.map(\.cases.count).reduce(0, +) == 2056)
    }

    @Test(arguments: TokenCases.all)
    private func findsTokens(of group: TokenCases) {
        for one in group.cases {
            let tokens = Array(one.input.utf8).withUnsafeBufferPointer {
                WrittenTokens(
                    $0, isReferenceDecoded: group.state == "RCDATA", from: group.start
                ).text
            }
            #expect(tokens == one.tokens, "\(one.input.debugDescription)")
        }
    }
}
