import DocumentSyntax
import Testing

@testable import Documents

struct SourceAlignmentTests {
    private func ranges(_ source: String, _ value: String, _ pieces: [Range<Int>]) -> [String]? {
        let bytes = Array(source.utf8)
        return bytes.withUnsafeBufferPointer { buffer in
            SourceAlignment(buffer, 0..<bytes.count, value: Array(value.utf8)).map { alignment in
                pieces.map {
                    String(decoding: bytes[alignment.sourceRange($0)], as: UTF8.self)
                }
            }
        }
    }

    @Test(arguments: [
        ("abc", "abc", ["a", "bc"]), ("a\n> b", "a\nb", ["a", "\n> b"]),
        ("a\n  bc", "a\nbc", ["a", "\n  bc"]), ("> a\n> > b", "> a\n> b", [">", " a\n> > b"]),
        ("éa", "éa", ["é", "a"]),
    ])
    func mapsValueToItsSource(source: String, value: String, expected: [String]) {
        let head = expected.first == "é" ? 2 : 1
        #expect(ranges(source, value, [0..<head, head..<value.utf8.count]) == expected)
    }

    @Test(arguments: [
        ("abc", "abd"), ("a\\|b", "a|b"), ("a\0", "a\u{FFFD}"), ("> a", "a"), ("abc", "ab"),
        ("ab", "abc"), ("a >b", "a b"), ("a\\b", "ab"), ("", "a"),
    ])
    func rejectsValueThatDiffersFromItsSource(source: String, value: String) {
        #expect(ranges(source, value, []) == nil)
    }
}

struct ProbeTokensTests {
    private func tokens(_ text: String) -> ProbeTokens {
        Array(text.utf8).withUnsafeBufferPointer { ProbeTokens(unusedIn: $0) }
    }

    @Test func readsTokensOfCandidate() {
        let tokens = tokens("text")
        let value = tokens.start(17) + Array("http://h/".utf8) + tokens.end
        let reading = tokens.read(value)
        #expect(reading.candidate == 17)
        #expect(String(decoding: reading.text, as: UTF8.self) == "http://h/")
    }

    @Test func readsOuterOfNestedTokens() {
        let tokens = tokens("text")
        let inner = tokens.start(2) + Array("b".utf8) + tokens.end
        let reading = tokens.read(tokens.start(1) + Array("a(".utf8) + inner + [0x29] + tokens.end)
        #expect(reading.candidate == 1)
        #expect(String(decoding: reading.text, as: UTF8.self) == "a(b)")
    }

    @Test func readsNoCandidateUnlessTokensAreAtBothEnds() {
        let tokens = tokens("text")
        for value in [
            tokens.start(1) + [0x61], [0x61] + tokens.end, [0x61] + tokens.start(1) + tokens.end,
            tokens.start(1) + tokens.end + [0x61], [], tokens.end,
            Array(tokens.start(1).dropLast()),
        ] {
            #expect(tokens.read(value).candidate == nil)
        }
    }

    @Test(arguments: [
        ("", "zqj"), ("zq", "zqj"), ("zq0j", "zqj"), ("ZQJ", "zqj"), ("zqj", "zq0j"),
        ("zzqj zq0j", "zq1j"), ("zq1jzqj", "zq0j"), ("zq00j zqj", "zq0j"), ("zqzqj zq0", "zq0j"),
        ("zqj zq0j zq1j zq3j", "zq2j"), ("zqj zq2j zq1j zq0j", "zq3j"), ("zqj zq0", "zq0j"),
        ("zqj zq99999999999999999999999999j", "zq0j"),
    ])
    func choosesPrefixThatTheTextLacks(text: String, prefix: String) {
        #expect(String(decoding: tokens(text).end, as: UTF8.self) == prefix + "e")
    }
}

struct DestinationScannerTests {
    private func candidates(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { buffer in
            DestinationScanner(bytes: buffer, body: 0).candidates { _ in true }
                .map { String(decoding: bytes[$0.range], as: UTF8.self) }
        }
    }

    @Test(arguments: [
        ("](a)", ["a"]), ("]( <a b> )", ["a b"]), ("](a(b)c)", ["a(b)c"]), ("](a", []),
        ("](\n> a)", ["a"]), ("](\n# a)", []), ("](\n<div>)", []), ("](\n<a.png>)", ["a.png"]),
        ("\\](a)", []), ("\\\\](a)", ["a"]), ("[x]: a", ["a"]), ("x]: a", []), ("[]x]: a", []),
        ("[x]:\n  <a>\n", ["a"]), ("[x]: a)", []), ("]()", []), ("](<>)", []),
        ("](a](b))", ["a](b)", "b"]),
        ("[a]:[b]:c", ["[b]:c", "c"]), ("](" + String(repeating: "(", count: 33), []),
    ])
    func findsPossibleDestinations(text: String, expected: [String]) {
        #expect(candidates(text) == expected)
    }

    @Test func readsFewDefinitionsInOneRun() {
        #expect(candidates(String(repeating: "[a]:", count: 1_000)).count < 5)
    }
}
