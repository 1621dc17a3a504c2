import Documents
import Testing

/// The parts of a rewrite that can be undone alone.
@Suite struct EditTests {
    /// For each edit, the old texts of its splices and the new URLs of its images.
    private func edits(
        _ text: String, _ kind: DocumentKind = .html, dropping: Set<Int> = [],
        _ change: (Int, inout Replacement) -> Void = { _, _ in }
    ) throws -> [[String]] {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: kind)
        let replacements = extraction.references.enumerated().map { index, reference in
            var replacement = Replacement(reference: reference, url: "n\(index)")
            change(index, &replacement)
            return replacement
        }
        let result = try rewrite(
            bytes, extraction: extraction, replacements: replacements, dropping: dropping)
        #expect(apply(result.splices, to: bytes) == result.bytes)
        for edit in result.edits {
            for image in edit.images {
                let new = Array(edit.splices[image.splice].text.utf8)
                if let offset = image.offset {
                    #expect(new[offset...].starts(with: Array(image.replacement.utf8)))
                }
            }
        }
        return result.edits.map { edit in
            edit.splices.map { String(decoding: bytes[$0.range], as: UTF8.self) }
                + edit.images.map(\.replacement)
        }
    }

    @Test func eachURLIsAnEdit() throws {
        #expect(
            try edits("<img src=a srcset='b 1x, c 2x'>")
                == [["a", "n0"], ["b", "n1"], ["c", "n2"]])
        #expect(try edits("![](a) ![](b)", .markdown) == [["a", "n0"], ["b", "n1"]])
    }

    @Test func claimBelongsToItsURL() throws {
        let text = "<source type=image/png srcset='a 30w, b 60w'><img src=c>"
        let found = try edits("<picture>\(text)</picture>") { index, replacement in
            guard index < 2 else { return }
            replacement.claims = [.mediaType: "image/webp"]
        }
        #expect(found == [["image/png", "a", "b", "n0", "n1"], ["c", "n2"]])
    }

    @Test func controlBelongsToAllItsURLs() throws {
        let text = "<img data-imgbake-format=png src=a srcset='b 2x'><img src=c>"
        #expect(
            try edits(text, dropping: [0])
                == [[" data-imgbake-format=png", "a", "b", "n0", "n1"], ["c", "n2"]])
    }

    @Test func sizeBelongsToItsURL() throws {
        let found = try edits("<img src=a><img src=b>") { _, replacement in
            replacement.size = Replacement.Size(width: 3, height: 2)
        }
        #expect(found == [["a", "", "n0"], ["b", "", "n1"]])
    }

    @Test func removedCandidateBelongsToTheOneBefore() throws {
        let found = try edits("<img src=x srcset='a 30w, b 60w'>") { index, replacement in
            replacement.isRemoved = index == 2
        }
        #expect(found == [["x", "n0"], ["a", ", b 60w", "n1", "n2"]])
    }

    @Test func eachUseOfADefinitionIsAnEdit() throws {
        let found = try edits("![x][b] [y][b] [z][b] ![b]\n\n[b]: a.png\n", .markdown)
        #expect(found == [["[b]", "n0"], ["", "n0"]])
    }
}
