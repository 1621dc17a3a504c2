import Documents
import Testing

struct PositionTests {
    @Test(arguments: [
        ("⟦⟧abc", 1, 1), ("ab⟦⟧c", 1, 3), ("a\n⟦⟧b", 2, 1), ("a\r\nb⟦⟧", 2, 2), ("a\rb⟦⟧", 2, 2),
        ("a\n\n\r\r\n⟦⟧", 5, 1), ("é日🎉⟦⟧x", 1, 4), ("e\u{301}⟦⟧", 1, 3), ("\u{FEFF}⟦⟧a", 1, 1),
        ("\u{FEFF}a⟦⟧", 1, 2), ("a\t⟦⟧", 1, 3), ("a\n⟦⟧", 2, 1),
    ])
    func countsLinesAndScalars(text: String, line: Int, column: Int) {
        let marked = Marked(text)
        let offsets = marked.ranges.map(\.lowerBound)
        #expect(positions(of: offsets, in: marked.bytes) == [Position(line: line, column: column)])
    }

    @Test func findsSeveralPositionsInOnePass() {
        let bytes = Array("ab\ncd\n".utf8)
        let found = positions(of: [0, 1, 1, 3, 6, 99], in: bytes)
        #expect(found.map(\.line) == [1, 1, 1, 2, 3, 3])
        #expect(found.map(\.column) == [1, 2, 2, 1, 1, 1])
    }
}
