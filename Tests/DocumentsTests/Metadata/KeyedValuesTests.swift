import DocumentSyntax
import Documents
import Testing

@Suite struct KeyedValuesTests {
    @Test(
        arguments: [
            ("a: {b: [x, y], c: true}\nd: 5", .yaml),
            ("d = 5\n[a]\nb = ['x', \"y\"]\nc = true\n", .toml),
            ("{\"a\": {\"b\": [\"x\", \"y\"],\n\t\"c\": true}, \"d\": 5}", .yaml),
        ] as [(String, KeyedValues.Language)])
    func findsValuesByTheirKeys(text: String, language: KeyedValues.Language) throws {
        let values = try #require(KeyedValues(Array(text.utf8), language: language))
        #expect(values.texts("a", "b") == ["x", "y"])
        #expect(values.text("A", "B") == "x")
        #expect(values.isTrue("a", "c"))
        #expect(values.text("d") == "5")
        #expect(values.keys(below: "a") == ["b", "c"])
        #expect(values.has("a"))
        #expect(!values.has("b"))
        #expect(values.text("a") == nil)
    }

    @Test func acceptsTagsOfOtherPrograms() throws {
        let text = """
            site_name: !ENV [NAME, x]
            x: !!python/object/apply:os.system ["true"]
            f: !!python/name:a.b.c
            docs_dir: text
            """
        let values = try #require(KeyedValues(Array(text.utf8), language: .yaml))
        #expect(values.text("docs_dir") == "text")
    }

    @Test(
        arguments: [("a: [", .yaml), ("a = ", .toml), ("\tx: y", .yaml)]
            as [(String, KeyedValues.Language)])
    func rejectsInvalidFiles(text: String, language: KeyedValues.Language) {
        #expect(KeyedValues(Array(text.utf8), language: language) == nil)
    }

    @Test func readsEmptyFile() throws {
        for language in [KeyedValues.Language.yaml, .toml] {
            let values = try #require(KeyedValues(Array("# x\n".utf8), language: language))
            #expect(!values.has("x"))
        }
    }
}
