import Testing

@testable import Documents

/// Tests how references from several passes are merged.
@Suite(.timeLimit(.minutes(10)))
struct LocatedReferenceTests {
    private func located(_ range: Range<Int>, slot: Int) -> LocatedReference {
        LocatedReference(
            reference: Reference(range: range, kind: .markdownImage, url: "\(slot)"),
            editPoint: EditPoint(
                notation: Notation(), piece: Outline.PieceIndex(slot: slot, piece: 0)))
    }

    /// The slots of the merged references, and the offsets of the problems.
    private func merged(_ ranges: [Range<Int>]) -> (kept: [[Int]], refused: [Int]) {
        var problems: [DocumentProblem] = []
        let found = ranges.enumerated().map { located($1, slot: $0) }
        let result = LocatedReference.merged(found, problems: &problems)
        return (result.map { $0.editPoint.pieces.map(\.slot) }, problems.map(\.offset))
    }

    @Test(
        arguments: [
            ([], []), ([0..<2, 2..<4, 5..<6], [[0], [1], [2]]), ([4..<6, 0..<2], [[1], [0]]),
            ([0..<2, 2..<4, 4..<4], [[0], [1], [2]]), ([2..<4, 0..<2], [[1], [0]]),
            ([0..<2, 0..<2, 3..<4], [[0, 1], [2]]), ([3..<4, 0..<2, 3..<4], [[1], [0, 2]]),
        ] as [([Range<Int>], [[Int]])])
    func mergesReferencesWithEqualRanges(ranges: [Range<Int>], kept: [[Int]]) {
        let result = merged(ranges)
        #expect(result.kept == kept)
        #expect(result.refused == [])
    }

    @Test(
        arguments: [
            ([0..<4, 2..<6, 7..<8], [2]), ([0..<9, 1..<3, 4..<5], [1, 4]),
            ([7..<8, 0..<4, 1..<2], [1]),
        ] as [([Range<Int>], [Int])])
    func refusesOverlappingReferences(ranges: [Range<Int>], refused: [Int]) {
        let result = merged(ranges)
        #expect(result.kept.count + refused.count == ranges.count)
        #expect(result.refused == refused)
    }
}
