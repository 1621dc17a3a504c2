import DocumentSyntax
import Testing

@testable import Documents

/// Names are compared as two numbers, which must tell them from all other texts.
@Suite(.timeLimit(.minutes(10)))
struct HTMLNameTests {
    @Test(arguments: HTMLName.allCases.dropFirst())
    func findsNameInAnyCaseAndPlace(name: HTMLName) {
        for label in [name.label, name.label.uppercased()] {
            for rest in Self.rests { #expect(read(label, before: rest) == name) }
        }
    }

    @Test(arguments: HTMLName.allCases.dropFirst())
    func findsNoNameInTextWithAnotherByte(name: HTMLName) {
        let label = Array(name.label.utf8)
        var texts = [label + [0], [0] + label, label + label + label]
        for index in label.indices {
            texts += (UInt8.min...UInt8.max).map { byte in
                var text = label
                text[index] = byte
                return text
            }
        }
        let wrong = texts.filter { text in
            let expected = Self.names[text.map { $0.lowercased }] ?? .other
            return Self.rests.contains { read(text, before: $0) != expected }
        }
        #expect(wrong == [])
    }

    @Test func findsEachElementThatCanNameImages() {
        for element in HTMLElementName.allCases {
            guard let label = element.label else { continue }
            #expect(
                HTMLElementName(
                    read(label, before: ""), written: UnsafeBytes(start: nil, count: 0)[...])
                    == element)
        }
    }

    private static let names = Dictionary(
        uniqueKeysWithValues: HTMLName.allCases.dropFirst().map { (Array($0.label.utf8), $0) })

    /// What follows a name: less and more than are read at once.
    private static let rests = ["", " class=a alt=b>"]

    private func read(_ text: String, before rest: String) -> HTMLName {
        read(Array(text.utf8), before: rest)
    }

    private func read(_ text: [UInt8], before rest: String) -> HTMLName {
        let before = Array("</".utf8)
        return (before + text + Array(rest.utf8)).withUnsafeBufferPointer {
            HTMLName($0[before.count..<before.count + text.count])
        }
    }
}
