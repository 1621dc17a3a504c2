import Testing

@testable import FetchCache

/// What a run remembers of the entries of a remote store.
@Suite struct KnownEntriesTests {
    private static func digest(_ number: UInt8) -> BlobDigest { BlobDigest(hashing: [number]) }

    private static func entry(of source: BlobDigest) throws -> RemoteEntry {
        try #require(
            RemoteEntry(
                LevelResponse(
                    url: "https://example.org/a.png", digest: source, byteCount: 7,
                    mediaType: MediaType(rawValue: "image/png"),
                    ResponseValidity(
                        etag: nil, lastModified: nil, vary: nil, selector: nil, arrival: 1,
                        expiry: 2), isFromPublicAddress: true)))
    }

    private static func result(_ name: String, _ metadata: String = "") -> RemoteEntry.Result {
        let variant = LevelVariant(
            source: digest(1), recipe: name, encoder: "", digest: digest(9), byteCount: 3,
            metadata: metadata)
        return RemoteEntry.Result(name: name, variant: RemoteVariant(variant))
    }

    @Test func resultsOfAnEntryThatWasReadAreKnown() throws {
        var known = KnownEntries(limit: 8)
        var entry = try Self.entry(of: Self.digest(1))
        entry.results = [Self.result("a", "one")]
        #expect(!known.isKnown("name"))
        known.note(entry, as: "name", of: Self.digest(1))
        #expect(known.isKnown("name"))
        #expect(known.result("a", of: Self.digest(1))?.metadata == "one")
        #expect(known.result("b", of: Self.digest(1)) == nil)
        #expect(known.result("a", of: Self.digest(2)) == nil)
        #expect(known.changed.isEmpty)
    }

    @Test func entriesOfASourceAreWrittenAgainOnceForNewResults() throws {
        var known = KnownEntries(limit: 8)
        let source = Self.digest(1)
        var isKnown = known.add(Self.result("a"), of: source)
        #expect(!isKnown)
        known.note(try Self.entry(of: source), as: "one", of: source)
        known.note(try Self.entry(of: source), as: "two", of: source)
        for result in [Self.result("a"), Self.result("b"), Self.result("a", "new")] {
            isKnown = known.add(result, of: source)
            #expect(isKnown)
        }
        #expect(known.changed == [source])
        let changed = known.takeChanged(of: source)
        #expect(changed.sorted() == ["one", "two"])
        for name in changed {
            let entry = known.entry(name, of: source)
            #expect(entry?.results?.map(\.name) == ["b", "a"])
            #expect(entry?.results?.last?.variant.metadata == "new")
        }
        #expect(known.changed.isEmpty)
        let others = known.takeChanged(of: source)
        #expect(others.isEmpty)
        // A renewed entry keeps them.
        let renewed = known.note(try Self.entry(of: source), as: "one", of: source)
        #expect(renewed.results?.count == 2)
    }

    @Test func resultsWaitForAnEntryThatIsExpected() throws {
        var known = KnownEntries(limit: 8)
        let source = Self.digest(1)
        known.expect(source)
        let isKnown = known.add(Self.result("a"), of: source)
        #expect(isKnown)
        let early = known.takeChanged(of: source)
        #expect(early.isEmpty)
        let entry = known.note(try Self.entry(of: source), as: "one", of: source)
        #expect(entry.results?.map(\.name) == ["a"])
        known.noteWritten(entry, of: source)
        #expect(known.changed.isEmpty)
        // A result that came while the entry was written is still to be written.
        _ = known.add(Self.result("b"), of: source)
        known.noteWritten(entry, of: source)
        #expect(known.changed == [source])
        let changed = known.takeChanged(of: source)
        #expect(changed == ["one"])
        #expect(known.entry("one", of: source)?.results?.map(\.name) == ["a", "b"])
    }

    @Test func entryOfAnotherSourceReplacesTheOldOne() throws {
        var known = KnownEntries(limit: 8)
        for number: UInt8 in [1, 2] {
            known.note(
                try Self.entry(of: Self.digest(number)), as: "name", of: Self.digest(number))
        }
        for (number, count): (UInt8, Int) in [(1, 0), (2, 1)] {
            _ = known.add(Self.result("a"), of: Self.digest(number))
            let changed = known.takeChanged(of: Self.digest(number))
            #expect(changed.count == count)
        }
        #expect(known.entry("name", of: Self.digest(1)) == nil)
    }

    @Test func numbersOfSourcesAndOfResultsAreBounded() throws {
        var known = KnownEntries(limit: 4)
        for number: UInt8 in 0..<100 {
            let source = Self.digest(number)
            known.note(try Self.entry(of: source), as: "\(number)", of: source)
            known.noteAbsent("none \(number)")
        }
        #expect((0..<100).filter { known.isKnown("\($0)") }.count == 4)
        #expect((0..<100).filter { known.isKnown("none \($0)") }.count <= 4)
        #expect(known.isKnown("99"))
        for number in 0..<100 {
            _ = known.add(Self.result("\(number)"), of: Self.digest(99))
        }
        let changed = known.takeChanged(of: Self.digest(99))
        #expect(changed == ["99"])
        let entry = try #require(known.entry("99", of: Self.digest(99)))
        #expect(entry.results?.count == RemoteEntry.mostResults)
        #expect(entry.results?.last?.name == "99")
        #expect(entry.response(to: "https://example.org/a.png") != nil)
    }

    @Test func entryThatIsTooLongWithItsResultsIsWrittenWithoutThem() throws {
        var entry = try Self.entry(of: Self.digest(1))
        entry.results = (0..<40).map { Self.result("\($0)", String(repeating: "m", count: 2_000)) }
        let short: RemoteEntry? = RemoteName.record(entry.bytes)
        #expect(short != nil && short?.results == nil)
        entry.results = (0..<40).map { Self.result("\($0)", String(repeating: "m", count: 200)) }
        let long: RemoteEntry? = RemoteName.record(entry.bytes)
        #expect(long == entry)
        entry.results = (0..<41).map { Self.result("\($0)") }
        #expect(entry.response(to: "https://example.org/a.png") == nil)
    }
}
