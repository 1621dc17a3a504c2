import Testing

@testable import Documents

/// Candidates that a rewrite adds to a `srcset`.
@Suite struct AddedCandidateTests {
    private func rewritten(_ text: String, isRemoved: Bool = false) throws -> Rewrite {
        var options = ExtractionOptions()
        options.describesImages = true
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .html, options: options)
        let replacements = extraction.references.map { reference in
            Replacement(
                reference: reference, url: "n,.webp",
                candidates: [.init(url: "s,&.webp", width: 300), .init(url: "t.webp", width: 600)],
                isRemoved: isRemoved && reference.isRemovable)
        }
        return try rewrite(bytes, extraction: extraction, replacements: replacements)
    }

    private func text(_ rewrite: Rewrite) -> String {
        String(decoding: rewrite.bytes, as: UTF8.self)
    }

    private let added = ", s,&amp;.webp 300w, t.webp 600w"

    @Test func candidatesFollowThoseOfTheAuthor() throws {
        let result = try rewritten("<p><img srcset='a 900w , b 1800w ,' sizes=9px alt=x src=c>")
        #expect(
            text(result)
                == "<p><img srcset='n,.webp 900w , n,.webp 1800w\(added) ,' sizes=9px alt=x src=n,.webp>"
        )
        let edit = try #require(result.edits.first { !$0.smaller.isEmpty })
        #expect(edit.smaller == ["s,&.webp", "t.webp"] && edit.splices.count == 2)
        #expect(edit.images.map(\.url) == ["b"])
    }

    @Test func setsOfAllWidthsAreCompleted() throws {
        let result = try rewritten("<img srcset='a 1w, b 65535w'>")
        #expect(text(result) == "<img srcset='n,.webp 1w, n,.webp 65535w\(added)'>")
    }

    @Test func equalCandidatesAreRemovedAtOnce() throws {
        let result = try rewritten("<img srcset=\"a 1800w, b 1800w\">", isRemoved: true)
        #expect(text(result) == "<img srcset=\"n,.webp 1800w\(added)\">")
    }

    @Test func setsInAPictureAreCompletedToo() throws {
        let result = try rewritten(
            "<picture><source srcset='a 900w'><img srcset='b 900w'></picture>")
        #expect(
            text(result)
                == "<picture><source srcset='n,.webp 900w\(added)'><img srcset='n,.webp 900w\(added)'></picture>"
        )
    }

    @Test(arguments: [
        "<img srcset='a 1x, b 2x'>", "<img srcset='a 900w, b'>", "<img srcset=a src=b>",
        "<link rel=preload as=image imagesrcset='a 9w, b 8w'>", "<img data-srcset='a 9w, b 8w'>",
        "<img srcset='a 900w, b 99999999999999999w'>", "<img srcset='a 900w, b 65536w'>",
        "<img srcset='a 900w, b 0w'>", "<img srcset='a 900w, b 800h'>",
    ])
    func otherSetsStay(source: String) throws {
        let result = try rewritten(source)
        #expect(!text(result).contains("t.webp") && result.edits.allSatisfy(\.smaller.isEmpty))
    }
}
