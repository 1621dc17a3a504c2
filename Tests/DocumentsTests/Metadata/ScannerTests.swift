import DocumentSyntax
import Testing

@testable import Documents

@Suite(.timeLimit(.minutes(10)))
struct StringEscapesTests {
    private func decode(_ text: String, _ language: StringEscapes) -> String? {
        Array(text.utf8).withUnsafeBufferPointer { language.decode($0) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("a\\\"b\\\\c\\/d", "a\"b\\c/d"), ("\\b\\f\\n\\r\\t", "\u{8}\u{C}\n\r\t"),
        ("\\u00e9\\uD83D\\uDE00", "é😀"), ("\\ud83d", "\u{FFFD}"), ("\\ude00x", "\u{FFFD}x"),
        ("\\ud83d\\u0041", "\u{FFFD}A"), ("é", "é"), ("", ""),
    ])
    func decodesJSONEscapes(text: String, expected: String) {
        #expect(decode(text, .json) == expected)
    }

    @Test(arguments: ["\\", "\\x41", "\\U00000041", "\\u41", "\\u004g", "\\e", "\\ ", "\\'"])
    func rejectsInvalidJSONEscapes(text: String) {
        #expect(decode(text, .json) == nil)
    }

    @Test(arguments: [
        ("\\u00e9\\U0001F600\\x41", "é😀A"), ("\\\"\\\\\\b\\t\\n\\f\\r", "\"\\\u{8}\t\n\u{C}\r"),
    ])
    func decodesTOMLEscapes(text: String, expected: String) {
        #expect(decode(text, .toml) == expected)
    }

    @Test(arguments: ["\\/", "\\ud800", "\\U00110000", "\\a", "\\\n"])
    func rejectsInvalidTOMLEscapes(text: String) {
        #expect(decode(text, .toml) == nil)
    }

    @Test(arguments: [
        ("\\0\\a\\v\\e\\ \\/", "\0\u{7}\u{B}\u{1B} /"),
        ("\\N\\_\\L\\P\\\t", "\u{85}\u{A0}\u{2028}\u{2029}\t"),
        ("\\x41\\u00e9\\U0001F600", "Aé😀"),
    ])
    func decodesYAMLEscapes(text: String, expected: String) {
        #expect(decode(text, .yaml) == expected)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct JSONScannerTests {
    private func strings(_ json: String) -> [String] {
        Array(json.utf8).withUnsafeBufferPointer { bytes in
            var strings: [String] = []
            let isRead = JSONScanner.read(bytes) { path, range, _ in
                strings.append(
                    path.joined(separator: ".") + "="
                        + String(decoding: bytes[range], as: UTF8.self))
            }
            return isRead ? strings : []
        }
    }

    @Test(arguments: [
        ("\"a\"", ["=a"]), (" [ \"a\" , \"b\" ] ", ["=a", "=b"]),
        ("{\"a\":\"b\",\"c\":{\"d\":\"e\"},\"f\":\"g\"}", ["a=b", "c.d=e", "f=g"]),
        (
            "{\"a\":[{\"b\":\"c\"},\"d\",[{\"e\":[\"f\"]}],\"g\"]}",
            ["a.b=c", "a=d", "a.e=f", "a=g"]
        ),
        ("[-0,0.5,1e3,1E-3,10,true,false,null,{},[],\"a\"]", ["=a"]),
        ("{\"\\u0061\\\"\":\"\\\"\"}", ["a\"=\\\""]), ("\u{FEFF}\"é\"\r\n\t", ["=é"]),
    ])
    func reportsStringsWithTheirKeys(json: String, expected: [String]) {
        #expect(strings(json) == expected)
    }

    @Test(arguments: [
        "", "[", "[\"a\"", "[\"a\"]]", "[\"a\",]", "[,\"a\"]", "[\"a\" \"b\"]", "{\"a\"}",
        "{\"a\":}",
        "{\"a\":\"b\",}", "{\"a\" \"b\"}", "{a:\"b\"}", "{'a':\"b\"}", "[\"a\",01]", "[\"a\",1.]",
        "[\"a\",.5]", "[\"a\",-]", "[\"a\",1e]", "[\"a\",+1]", "[\"a\",True]", "[\"a\",nul]",
        "[\"a\nb\"]", "[\"\\x\"]", "[\"\\u12\"]", "[\"\\", "\"a\" b", "[\"a\"}", "{\"a\":\"b\"]",
        "[\"a\",NaN]", "// x\n\"a\"", "\"a\"\u{C}", "[\"a\"\u{A0}]",
    ])
    func rejectsInvalidJSON(json: String) {
        #expect(strings(json) == [])
    }

    @Test func reportsTheObjectOfEachString() {
        let json = Array("[\"a\",{\"b\":\"c\",\"d\":[{\"e\":\"f\"},\"g\"]},\"h\"]".utf8)
        var objects: [Int?] = []
        let isRead = json.withUnsafeBufferPointer { bytes in
            JSONScanner.read(bytes) { objects.append($2) }
        }
        #expect(isRead)
        #expect(objects == [nil, 5, 19, 5, nil])
    }

    @Test func limitsNestingDepth() {
        for (depth, count) in [(60, 1), (70, 0), (100_000, 0)] {
            let open = String(repeating: "[", count: depth)
            #expect(strings(open + "\"a\"" + String(repeating: "]", count: depth)).count == count)
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct TOMLScannerTests {
    private func strings(_ toml: String) -> [String]? {
        Array(toml.utf8).withUnsafeBufferPointer { bytes in
            var strings: [String] = []
            let isRead = TOMLScanner.read(bytes, 0..<bytes.count) { path, string in
                strings.append(
                    path.joined(separator: ".") + "="
                        + String(decoding: string.value, as: UTF8.self))
            }
            return isRead ? strings : nil
        }
    }

    @Test(arguments: [
        ("a = 'b'", ["a=b"]), ("a.b.'c d' = \"e\"", ["a.b.c d=e"]),
        ("[a]\nb='c'\n[d.e]\nf='g'", ["a.b=c", "d.e.f=g"]),
        ("[[a]]\nb='c'\n[[a.d]]\ne='f'", ["a.b=c", "a.d.e=f"]),
        (
            "a = {b = 'c', d.e = {f = 'g'}, h = 'i'}\nj = 'k'",
            ["a.b=c", "a.d.e.f=g", "a.h=i", "j=k"]
        ),
        ("a = [ [ 'b' ], [ {c = 'd'}, 'e' ], ] # x", ["a=b", "a.c=d", "a=e"]),
        ("a = \"\"\"b\"\"\"\"\"\nc = ''''d'''", ["a=b\"\"", "c='d"]),
        ("a = 1979-05-27 07:32:00.9-07:00 # x\nb = 0xDEAD_BEEF\nc = inf\nd = 'e'", ["d=e"]),
        ("# x\n\n \ta='b' \t\r\n", ["a=b"]), ("", []), ("'' = ''", ["="]),
    ])
    func reportsStringsWithTheirKeys(toml: String, expected: [String]) {
        #expect(strings(toml) == expected)
    }

    @Test(arguments: [
        "a", "a =", "= 'b'", "a = 'b", "a = 'b' 'c'", "a = [ 'b'", "a = { b = 'c'", "a = [ 'b' }",
        "[a", "[[a]", "[]", "a b = 'c'", "a = 'b' c = 'd'", "a = \"\\q\"", "a. = 'b'", "a = [ , ]",
        "\"\"\"a\"\"\" = 'b'", "a = { = 'b' }", "a = 'b\nc'", "a = \"\"\"b",
    ])
    func rejectsInvalidTOML(toml: String) {
        #expect(strings(toml) == nil)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct YAMLMarkTests {
    @Test func countsLinesAndColumnsLikeTheParser() {
        let text = Array("aé😀b\r\nc\rd\n\u{85}e\u{2028}f\u{2029}\tg".utf8)
        text.withUnsafeBufferPointer { bytes in
            var index = YAMLMark.Index(bytes)
            var found: [Int?] = []
            for (line, column) in [(1, 1), (1, 4), (2, 1), (3, 1), (5, 1), (6, 1), (7, 2), (7, 9)] {
                found.append(index.offset(of: YAMLMark(line: line, column: column)))
            }
            #expect(found == [0, 7, 10, 12, 16, 20, 25, nil])
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ImageKeysTests {
    @Test(arguments: [
        ("image", true), ("a.b.LOGO", true), ("cover.image", true), ("cover.src", true),
        ("images.url", true), ("cover.alt", false), ("src", false), ("a.src", false), ("", false),
        ("x.y", true), ("x.y.src", true), ("x.y.z", false), ("a.x.y", false), ("y", false),
        ("x.Y", false), ("cover.src.src", false), ("coverimages", false),
    ])
    func recognisesPathsOfImages(path: String, isImage: Bool) {
        let keys = ImageKeys(configured: ["x.y"])
        #expect(keys.includes(path.split(separator: ".").map(String.init)) == isImage)
    }
}
