import DocumentSyntax
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ScriptScannerTests {
    /// The literals of a script, those that are no values in parentheses; nil if it is not read.
    private func literals(_ script: String) -> [String]? {
        var found: [String] = []
        let bytes = Array(script.utf8)
        let isRead = bytes.withUnsafeBufferPointer { bytes in
            ScriptScanner.read(bytes) { literal in
                let text = String(decoding: bytes[literal.range], as: UTF8.self)
                found.append(literal.isValue ? text : "(\(text))")
            }
        }
        return isRead ? found : nil
    }

    @Test(arguments: [
        ("a='b';c=\"d\";`e`", ["b", "d", "e"]), ("'a\\'b'", ["a\\'b"]),
        ("'a\\\r\nb'", ["a\\\r\nb"]),
        ("#!/usr/bin/env 'a'\n'b'", ["b"]), ("\u{FEFF}'b'", ["b"]),
        ("// 'a'\n/* 'b' ** 'c' */'d'", ["d"]), ("// a\u{2028}'b'", ["b"]),
        ("<!-- 'a'\n'b'\n --> 'c'\n'd'", ["b", "d"]), ("a-->'b'", ["b"]),
        ("`a${b}c`", ["a${b}c"]),
        (
            "`a${`b${'c'}`}d${{e:'f'}}`",
            ["c", "b${'c'}", "f", "a${`b${'c'}`}d${{e:'f'}}"]
        ),
        ("'\u{2028}é'", ["\u{2028}é"]),
    ])
    func findsStringsAndTemplates(script: String, expected: [String]) {
        #expect(literals(script) == expected)
    }

    @Test(arguments: [
        "a=/'/;'x'", "a(/'/,'x')", "return/'/.test('x')", "if(a)/'/.test('x')",
        "while(a(b))/'/.test('x')", "a?/'/:'x'", "[/[/']/,'x']", "a=>/'/.test('x')",
        "{}/'/.test('x')", "if(a){}/'/.test('x')", "else/'/.test('x')", ";{}/'/.test('x')",
        "`${/'/.test('x')}`.b", "a=/\\/'/g;'x'",
        "void/'/.test('x')", "!/'/.test('x')", "a=/a/g/b;'x'", "a={b:/'/,c:'x'}",
    ])
    func tellsRegularExpressions(script: String) {
        #expect(literals(script)?.first == "x")
    }

    @Test(arguments: [
        "a/'x'/b", "a()/'x'/b", "a[0]/'x'/b", "1/'x'/b", "1.5e3/'x'/b", "this/'x'/b",
        "a.return/'x'/b", "a?.if/'x'/b", "a.if(b)/'x'/c", "a++/'x'/b", "a={}/'x'/b",
        "a\u{A0}/'x'/b", "'x'/b/c", "`x`/b/c", "(a)/'x'/b", "a=b?{}/'x'/1:0", "a({}/'x'/b)",
        "#a/'x'/b", "\\u0061/'x'/b", "a\\u{61}/'x'/b", "é/'x'/b",
    ])
    func tellsDivisions(script: String) {
        // A string before or after a division is no value.
        #expect(literals(script) == ["(x)"] || literals(script) == ["x"])
    }

    @Test(arguments: [
        "a=function(){}/'x'/b", "class a{}/'x'/b", "a=>{}/'x'/b", "yield/'x'/b", "of/'x'/b",
        "case a:{}/'x'/b", "a<!--'x'", "'x", "'a\nb'", "`x", "`${", "/* 'x'", "a=/x", "a=/x\n/",
        "(", ")", "(]", "`${)}`", "<div>don't</div>",
    ])
    func refusesWhatIsNotSure(script: String) {
        #expect(literals(script) == nil)
    }

    @Test(arguments: [
        "'x'+a", "a+'x'", "a+=`x`", "`x` + a", "import'x'", "import a from 'x'", "export*from'x'",
        "import('x')", "({'x':1})", "({a:1,'x':1})", "switch(a){case'x':}", "a['x']", "({'x'(){}})",
        "a+'x' // a", "a[`x`]", "a?.['x']", "({[`x`]:1})", "({['x'] : 1})",
    ])
    func leavesPartsOfValuesKeysAndModules(script: String) {
        #expect(literals(script) == ["(x)"])
    }

    @Test(arguments: [
        "a('x')", "a={b:'x'}", "a?'x':b", "a?b||'x':c", "['x']", "[a,'x']", "a=['x']", "return'x'",
        "a('x').concat(b)", "a==='x'", "a=`x`", "f`x`", "a=>'x'", "b.from='x'", "a.import('x')",
    ])
    func takesWholeValues(script: String) {
        #expect(literals(script) == ["x"])
    }

    @Test func readsHostileScriptsInLinearTime() {
        func read(_ script: String) -> Bool {
            Array(script.utf8).withUnsafeBufferPointer { ScriptScanner.read($0) { _ in } }
        }
        for part in ["(", "{", "`${", "/* ", "'", "}/", "<!--a\n'", "\\u{", "[/["] {
            #expect(!read(String(repeating: part, count: 200_001)))
        }
        for part in ["//", "a/", "+'a'", "-->", "a\\u{61}"] {
            #expect(read(String(repeating: part, count: 200_000)))
        }
        for (open, close) in [("(", ")"), ("`${", "}`"), ("{", "}"), ("a`${", "}//`")] {
            let before = String(repeating: open, count: 200_000)
            #expect(read(before + "1" + String(repeating: close, count: 200_000)))
        }
    }
}
