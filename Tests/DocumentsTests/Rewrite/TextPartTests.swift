import DocumentSyntax
import Testing

@testable import Documents

@Suite struct TextPartTests {
    /// A text of XML, as in a feed, has an end unless an element or the end of the file is there.
    @Test(arguments: [("ab<c", 0, 2), ("ab", 0, 2), ("<c", 0, nil), ("ab", 2, nil)])
    func textOfXMLEndsAtATagOrAtTheEnd(text: String, start: Int, end: Int?) {
        let part = TextPart(
            range: 0..<0, place: .xmlText, content: .url(needsExtension: false), firstSlot: 0)
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBufferPointer { part.end(from: start, in: $0) } == end)
    }
}
