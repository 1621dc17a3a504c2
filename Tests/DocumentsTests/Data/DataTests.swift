import Documents
import Foundation
import Testing

/// Tests the references in JSON, in scripts, and in inline scripts and attributes of pages.
@Suite(.timeLimit(.minutes(10)))
struct DataTests {
    private static let options: ExtractionOptions = {
        var options = ExtractionOptions(lazyAttributes: ["data-lazy"])
        options.readsData = true
        return options
    }()

    /// Checks that the references are the marked ranges, and that they are replaced by local URLs
    /// that are written like this; by default, as they are.
    private func expect(
        _ text: String, _ kind: DocumentKind, urls: [String]? = nil, slash: String = "/",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let marked = Marked(text)
        let extraction = extract(marked.bytes, kind: kind, options: Self.options)
        #expect(extraction.problems == [], sourceLocation: sourceLocation)
        #expect(
            extraction.references.map { marked.text(at: $0.range) } == marked.marks,
            sourceLocation: sourceLocation)
        #expect(
            extraction.references.map(\.url) == urls ?? marked.marks,
            sourceLocation: sourceLocation)
        #expect(
            extraction.references.allSatisfy { $0.kind == .data && $0.form == .rooted },
            sourceLocation: sourceLocation)
        let names = marked.ranges.indices.map { "/b/img/\($0).webp" }
        #expect(
            replaceAll(marked.text, kind, with: names, options: Self.options)
                == marked.replacing(names.map { $0.replacing("/", with: slash) }),
            sourceLocation: sourceLocation)
        #expect(
            replaceAll(
                marked.text, kind, with: extraction.references.map(\.url), options: Self.options)
                == marked.text, sourceLocation: sourceLocation)
        // Nothing changes without the option.
        let usual = extract(marked.bytes, kind: kind)
        #expect(!usual.references.contains { $0.kind == .data }, sourceLocation: sourceLocation)
    }

    private func unread(_ text: String, _ kind: DocumentKind) -> [String] {
        let extraction = extract(Array(text.utf8), kind: kind, options: Self.options)
        #expect(!extraction.references.contains { $0.kind == .data })
        return extraction.unread.filter { !$0.isGuess }.map(\.url)
    }

    // MARK: JSON

    @Test(arguments: [
        #"{"a":"⟦https://h/a.png⟧","b":["⟦//h.org/b⟧",{"c":"⟦HTTP://h/c?d&e#f⟧"}],"d":1}"#,
        "\u{FEFF}[\"⟦https://h/a.png⟧\"]\n", #""⟦https://h/a.png⟧""#,
    ])
    func findsWholeStringsOfJSON(text: String) {
        expect(text, .json)
    }

    @Test func keepsEscapedSlashes() {
        expect(#"["⟦https:\/\/h\/a.png⟧"]"#, .json, urls: ["https://h/a.png"], slash: #"\/"#)
        expect(
            #"["⟦https:\u002F\u002Fh\u002Fa.png⟧"]"#, .json, urls: ["https://h/a.png"],
            slash: #"\u002F"#)
        expect(
            #"a="⟦https:\x2F\x2Fh\x2Fa.png⟧""#, .script, urls: ["https://h/a.png"], slash: #"\x2F"#)
        expect(
            #"a=JSON.parse('{"a":"⟦https:\\/\\/h\\/a.png⟧"}')"#, .script,
            urls: ["https://h/a.png"], slash: #"\\/"#)
        expect(
            #"{"body":"{\"a\":\"⟦https:\\u002F\\u002Fh\\u002Fa.png⟧\"}"}"#, .json,
            urls: ["https://h/a.png"], slash: #"\\u002F"#)
        expect(
            #"a='<img src=⟦https:\/\/h\/a.png⟧>'"#, .script, urls: ["https://h/a.png"],
            slash: #"\/"#)
    }

    @Test(arguments: [
        #"{"https://h/a.png":1}"#, #"{"a":"see https://h/a.png"}"#, #"{"a":" https://h/a.png"}"#,
        #"{"a":"![](https://h/a.png)"}"#, #"{"a":"<a href='https://h/a.png'>"}"#,
        #"{"a":"<img alt='https://h/a.png' src='b'>"}"#, #"{"a":"<p>https://h/a.png</p>"}"#,
        #"{"a":"<img src='${b}https://h/a.png'>"}"#, #"{"a":"https://h/${b}/a.png"}"#,
        #"{"a":"https://h/a.png 2x, /b.png 1x"}"#, #"{"a":"https://h/a.png wide, https://h/b 2x"}"#,
        #"{"a":"https://h/a.png"} {"#, #"{a:"https://h/a.png"}"#,
    ])
    func leavesWhatIsNoWholeURL(text: String) {
        #expect(!unread(text, .json).isEmpty)
    }

    @Test(arguments: [
        #"{"a":{"href":"https://h/a.png","children":"https://h/a.png"}}"#,
        #"["$","p",null,{"children":["see","https://h/a.png"]}]"#,
        #"{"alt":"https://h/a.png","title":"https://h/a.png"}"#,
        #"{"a":"{\"href\":\"https://h/a.png\"}"}"#,
    ])
    func leavesTextsAndLinksOfElements(json: String) {
        #expect(!unread(json, .json).isEmpty)
        if !json.contains("see") { #expect(!unread("a=" + json, .script).isEmpty) }
    }

    @Test(arguments: [
        "e('p',null,'https://h/a.png')", "e('p',{},`https://h/a.png`)",
        "e('a',{href:'https://h/a.png',b:1}, \"https://h/a.png\", -1)",
        "t._v('https://h/a.png')", "createTextVNode(`https://h/a.png`, 1)",
        "h('code',null,['https://h/a.png'])", "h('pre',{},['a','https://h/a.png',b])",
        "e('p',{children:['https://h/a.png','x']})", "e('p',{children:f('https://h/a.png')})",
        "a.textContent='https://h/a.png'", "location.href = 'https://h/a.png'",
        "window.open('https://h/a.png')", "a={placeholder:'https://h/a.png'}",
    ])
    func leavesTextsOfElementsInCalls(script: String) {
        _ = unread(script, .script)
    }

    @Test func findsOtherStringsInCalls() {
        expect("(function(a,b){}(null,'⟦https://h/a.png⟧','⟦https://h/b.png⟧'))", .script)
        expect(
            "[null,'⟦https://h/a.png⟧',1,{},'⟦https://h/c.png⟧'];f('⟦https://h/b.png⟧',{},1)",
            .script)
    }

    @Test func findsStringsWithNames() {
        expect("a.src='⟦https://h/a.png⟧';b=['⟦https://h/b.png⟧','⟦https://h/c.png⟧']", .script)
        expect("e('img',{src:f('⟦https://h/a.png⟧')})", .script)
        expect("const[a,b]=useState('⟦https://h/a.png⟧')", .script)
    }

    @Test(arguments: [
        "a='<img src=\"'+l+`\"><img src=\"⟦https://h/a.png⟧\">`",
        "a='<p>'+f('x',{a:1}) + b.c + \"<img src='⟦https://h/a.png⟧'>\" + d + '</p>'",
        "a=`<p>${b}`+'<img src=⟦https://h/a.png⟧>'",
    ])
    func findsImagesOfHTMLInSums(script: String) { expect(script, .script) }

    @Test(arguments: [
        "a=l+'<img src=https://h/a.png>'", "a='<img src=\"'+(b?c:d)+'https://h/a.png\">'",
        "a='<img alt=\"'+b+'https://h/a.png\">'", "a='<p>'+b,'<img src=https://h/a.png>'+c",
        "a='<p>'*b+'<img src=https://h/a.png>'",
    ])
    func leavesWhatASumMakesAPart(script: String) {
        #expect(!unread(script, .script).isEmpty)
    }

    @Test func findsLinksThatLoadImages() {
        expect(#"["$","link",null,{"rel":"icon","href":"⟦https://h/a.png⟧"}]"#, .json)
        expect(#"e("link",{rel:"preload",as:"image",href:"⟦https://h/a.png⟧"})"#, .script)
        expect(#"e("image",{href:"⟦https://h/a.png⟧"})"#, .script)
        expect(#"{"text":"<img src='⟦https://h/a.png⟧'>"}"#, .json)
    }

    @Test(arguments: [
        "new URL('U')", "a=\"U\";b=new URL(a)", "a==='U'", "'U' != a", "a={'U':1}", "a[ 'U' ]",
        "'U'.split('/')", "a.startsWith(`U`)", "switch(a){case 'U':}", #"{"a":1,"U":2}"#,
        #"{"a":"{\"U\":1}"}"#, "<script>a={\"U\":1}</script>",
    ])
    func knowsURLsThatScriptsExamine(text: String) {
        let text = text.replacing("U", with: "https://h/a.png").replacing(
            "https://h/a.pngRL", with: "URL")
        #expect(examinedURLs(in: Array(text.utf8)) == ["https://h/a.png"])
    }

    @Test(arguments: [
        "a='U'", "f(['U'])", "a={b:'U'}", "a?'U':b", "f(a,'U')", "return'U'", #"["U",1]"#,
        "<img src=\"U\">", "a='U';new URL(b)",
    ])
    func knowsURLsThatScriptsOnlyShow(text: String) {
        let text = text.replacing("U", with: "https://h/a.png").replacing(
            "https://h/a.pngRL", with: "URL")
        #expect(examinedURLs(in: Array(text.utf8)) == [])
    }

    @Test func findsItemsOfSrcset() {
        expect(#"["⟦https://h/a.png⟧ 1x, ⟦https://h/b.png⟧ 1.5x"]"#, .json)
        expect(#"["⟦https://h/a.png⟧ 400w,⟦https://h/b.png⟧ 800w"]"#, .json)
        let text = #"["https://h/a.png 400w, https://h/b.png 800w"]"#
        let found = extract(Array(text.utf8), kind: .json, options: Self.options).references
        #expect(found.allSatisfy { $0.fixed == .size })
    }

    @Test func findsImagesOfHTMLInStrings() {
        expect(
            #"{"a":"<p>\u003Cimg src=\"⟦https://h/a.png⟧\" srcset='⟦https://h/b.png⟧ 2x, c.png 3x'>"#
                + #"<video poster=⟦https://h/d⟧><img data-src=\"⟦https://h/e⟧\" data-lazy=\"⟦https://h/f⟧\">"}"#,
            .json)
        expect(
            #"["<img src='⟦https://h/a.png?b=1&amp;c=2⟧'>"]"#, .json,
            urls: ["https://h/a.png?b=1&c=2"])
        let text = #"["<img src='https://h/a'>"]"#
        #expect(
            replaceAll(text, .json, with: ["/b?c&d"], options: Self.options)
                == #"["<img src='/b?c&amp;d'>"]"#)
    }

    @Test func readsJSONInStringsUpToADepth() {
        var text = #"{"a":"⟦https://h/a.png⟧"}"#
        func quoted(_ text: String) -> String {
            "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        for depth in 1...5 {
            text = quoted(text)
            if depth <= 4 {
                expect(text, .json)
            } else {
                #expect(!unread(text.replacing(/[⟦⟧]/, with: ""), .json).isEmpty)
            }
        }
    }

    @Test func saysWhichURLsMayNameSomethingElse() {
        let text = #"{"a":"https://h/a","b":"https://h/b.png","avatar":"https://h/c"}"#
        let found = extract(Array(text.utf8), kind: .json, options: Self.options)
        #expect(found.references.map(\.isGuess) == [true, false, false])
        #expect(found.unread.isEmpty)
    }

    @Test func writesURLsThatCannotEndAString() throws {
        let url = "/a'b\"c`d</script><!--${e}\\\n f,g"
        for (text, kind) in [
            (#"["https://h/a"]"#, .json), ("a='https://h/a'", .script),
            ("a=`https://h/a`", .script), ("<script>a='https://h/a'</script>", .html),
            ("<p data-a='[\"https://h/a\"]'>", .html), ("a='<img src=\"https://h/a\">'", .script),
        ] as [(String, DocumentKind)] {
            #expect(
                replaceAll(text, kind, with: [url], options: Self.options)
                    == text.replacing(
                        "https://h/a",
                        with: "/a%27b%22c%60d%3C/script%3E%3C%21--$%7Be%7D%5C%0A%20f%2Cg"))
        }
    }

    @Test func changesNoOtherValueOfJSON() throws {
        let text =
            #"{"a":["https:\/\/h\/a.png",1.50,{"b":"<img src=\"https://h/b\">é\u00e9"}],"c":null}"#
        let output = replaceAll(text, .json, with: ["/1", "/2"], options: Self.options)
        let expected = text.replacing(#"https:\/\/h\/a.png"#, with: "/1")
            .replacing("https://h/b", with: "/2")
        func value(_ text: String) throws -> NSObject? {
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSObject
        }
        #expect(try value(output) == value(expected))
    }

    // MARK: Scripts

    @Test(arguments: [
        // Docusaurus
        #"(self.webpackChunk=self.webpackChunk||[]).push([[1],{2:(e,n,t)=>{t.d(n,{x:()=>s});const s={src:"⟦https://h/a.png⟧",alt:"b"};r.jsx("img",{src:"⟦https://h/c⟧",width:"2"})}}]);"#,
        // VitePress
        "import{_ as s,o as a,ae as i}from\"./chunks/framework.B1.js\";const o=a('<p><img src=\"⟦https://h/a.png⟧\" alt=\"https://h/b.png\"></p>',1),c=i(`<div>\n<img src=\"⟦https://h/c.png⟧\"><img src=\"${d}\"><img src=\"${d}https://h/e.png\"><img src=\"⟦https://h/f⟧\">${`<img src=⟦https://h/g⟧>`}</div>`,5);export{o as default};",
        #"const __pageData=JSON.parse('{"title":"a","frontmatter":{"hero":{"image":{"src":"⟦https://h/a.png⟧"}},"b":"<img src=\\"⟦https://h/b⟧\\">"}}');"#,
        // VuePress
        #"export const data = JSON.parse("{\"path\":\"/\",\"frontmatter\":{\"heroImage\":\"⟦https://h/a.png⟧\"}}")"#,
        "a=`⟦https://h/a.png⟧`,b=c?`⟦https://h/b⟧`:'⟦//h.org/d⟧'",
        "f`<img src='⟦https://h/a.png⟧'>`",
    ])
    func findsURLsInBuiltScripts(text: String) {
        expect(text, .script)
    }

    @Test(arguments: [
        "a='https://h/'+b+'.png'", "a=b+'https://h/a.png'", "import'https://h/a.png'",
        "import a from'https://h/a.png'", "import('https://h/a.png')", "// https://h/a.png",
        "/* 'https://h/a.png' */", "a=/'https://h/a.png'/", "a={'https://h/a.png':1}",
        "a='https://h/a.png", "a=`https://h/${b}/a.png`", "a='<img src=\"https://h/a.png'",
        "a='<img src=\"https://h/a.png\">'+b", "a=f`\\n<img src='https://h/a.png'>`",
        "a=function(){}/'https://h/a.png'/b", "a='\\1https://h/a.png'",
    ])
    func leavesOtherURLsInScripts(text: String) {
        _ = unread(text, .script)
    }

    @Test func namesURLsOfScriptsThatAreNotRead() {
        #expect(unread("a='https://h/a.png', b='https://h/b'}", .script) == ["https://h/a.png"])
        #expect(
            unread(String(repeating: " ", count: 16 << 20) + "a='https://h/a.png'", .script)
                == ["https://h/a.png"])
    }

    @Test func decodesEscapesOfScripts() {
        expect(
            #"a='⟦\x68ttps:\u{2F}\/h/a.png⟧'"#, .script, urls: ["https://h/a.png"], slash: #"\/"#)
    }
}

extension DataTests {
    @Test(arguments: [
        ("`${", "1", "}//`"), ("a`${", "1", "}<img src=https://h/a>`"), ("", "1", "//'a' -->"),
        ("[\"", "https://h/a", "\"]"), ("'<img ", "", "src=https://h/a'"), ("'\\\\", "", "//h'"),
        ("['[\"//", "", "\",']"), ("'https://h/a 1x,", "", "'"),
    ])
    func readsHostileTextsInLinearTime(open: String, middle: String, close: String) {
        let text =
            String(repeating: open, count: 200_000) + middle
            + String(repeating: close, count: 200_000)
        for kind in [DocumentKind.script, .json, .text] {
            _ = extract(Array(text.utf8), kind: kind, options: Self.options)
        }
        let page = "<script>" + text
        _ = extract(Array(page.utf8), kind: .html, options: Self.options)
    }

    // MARK: Pages

    @Test(arguments: [
        // Next.js and Nuxt
        #"<script id="__NEXT_DATA__" type="application/json">{"props":{"src":"⟦https://h/a.png⟧","html":"\u003cimg src=\"⟦https://h/b.png⟧\"\u003e"}}</script>"#,
        #"<script type="application/json" data-nuxt-data="nuxt-app" data-ssr="true" id="__NUXT_DATA__">[["Reactive",1],{"a":2},"⟦https://h/a.png⟧"]</script>"#,
        // Angular
        #"<script id="ng-state" type="application/json">{"1":{"b":"⟦https://h/a.png⟧"}}</script>"#,
        // SvelteKit
        #"<script type="module">kit.start(app, element, {node_ids:[0],data:[{type:"data",data:{html:"\u003Cp>\u003Cimg src=\"⟦https://h/a.png⟧\">\u003C/p>"}}]});</script>"#,
        #"<script type="application/json" data-sveltekit-fetched data-url="/a">{"status":200,"body":"{\"b\":\"⟦https://h/a.png⟧\"}"}</script>"#,
        "<script>window.a = {b: '⟦https://h/a.png⟧'}</script><p><script type=text/javascript>c = `⟦https://h/d⟧`</script>",
        // Astro
        #"<astro-island props="{&quot;src&quot;:[0,&quot;⟦https://h/a.png⟧&quot;]}" ssr></astro-island>"#,
        // Inertia
        #"<div id="app" data-page="{&quot;props&quot;:{&quot;a&quot;:&quot;⟦https:\/\/h\/a.png⟧&quot;}}"></div>"#,
        #"<div data-a='["⟦https://h/a.png⟧"]' data-b='{"c": "⟦https://h/d⟧"}'></div>"#,
    ])
    func findsURLsInPages(text: String) {
        let slash = text.contains(#"\/"#) ? #"\/"# : "/"
        let marks = Marked(text).marks
        expect(text, .html, urls: marks.map { $0.replacing(#"\/"#, with: "/") }, slash: slash)
    }

    @Test func escapesURLsInAttributes() {
        let text = #"<p data-a="{&#34;b&#34;:&#34;https://h/a?b&amp;c&#34;}">"#
        let found = extract(Array(text.utf8), kind: .html, options: Self.options).references
        #expect(found.map(\.url) == ["https://h/a?b&c"])
        #expect(
            replaceAll(text, .html, with: ["/d?e&f"], options: Self.options)
                == #"<p data-a="{&#34;b&#34;:&#34;/d?e&amp;f&#34;}">"#)
    }

    @Test(arguments: [
        #"<script type="speculationrules">{"a":"https://h/a.png"}</script>"#,
        #"<script type="importmap">{"imports":{"a":"https://h/a.png"}}</script>"#,
        #"<script type="text/x-template"><img src="https://h/a.png"></script>"#,
        #"<svg><script>a='https://h/a.png'</script></svg>"#,
        #"<p x-data="{ a: 'https://h/a.png' }">"#, #"<p data-a="{'b': 'https://h/a.png'}">"#,
        "<script>a='https://h/a.png'}</script>",
    ])
    func leavesOtherScriptsAndAttributes(text: String) {
        #expect(unread(text, .html) == ["https://h/a.png"])
    }

    @Test(
        arguments: [
            ("---\na: b\n---\n<script>a='https://h/a.png'</script>", .html),
            ("<script>a='https://h/a.png'</script>\n", .markdown),
            ("<script>a='https://h/a.png'</script>\n", .mdx),
            (
                #"{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<script>a='https://h/a.png'</script>"}]}"#,
                .json
            ),
            ("<iframe srcdoc=\"<script>a='https://h/a.png'</script>\"></iframe>", .html),
        ] as [(String, DocumentKind)])
    func readsNoDataInSourcesAndFeeds(text: String, kind: DocumentKind) {
        _ = unread(text, kind)
    }

    @Test func readsImagesOfPageBesidesItsData() throws {
        let text = """
            <img src="https://h/a.png"><script>a='https://h/a.png',b='see https://h/b.png'</script>
            """
        let found = extract(Array(text.utf8), kind: .html, options: Self.options)
        #expect(found.references.map(\.url) == ["https://h/a.png", "https://h/a.png"])
        #expect(found.references.map { $0.kind == .data } == [false, true])
        #expect(found.unread.map(\.url) == ["https://h/b.png"])
        #expect(
            replaceAll(text, .html, with: ["a.webp", "/a.webp"], options: Self.options)
                == #"<img src="a.webp"><script>a='/a.webp',b='see https://h/b.png'</script>"#)
    }

    @Test func namesDocumentsWithData() {
        #expect(DocumentKind(fileExtension: "js") == nil)
        for (name, kind) in [("js", .script), ("MJS", .script), ("cjs", .script), ("txt", .text)]
            as [(String, DocumentKind)]
        {
            #expect(DocumentKind(fileExtension: name, readsData: true) == kind)
            #expect(kind.isPublished)
        }
    }
}

/// Tests properties that every text must have.
@Suite(.timeLimit(.minutes(10)))
struct DataPropertyTests {
    @Test(arguments: [DocumentKind.script, .json, .html, .text], 0..<5)
    func rewritesTheSameURLsWithoutAChange(kind: DocumentKind, seed: Int) throws {
        var options = ExtractionOptions()
        options.readsData = true
        var generator = DataGenerator(seed: UInt64(seed))
        var count = 0
        for _ in 0..<100 {
            let bytes = generator.document(kind)
            let extraction = extract(bytes, kind: kind, options: options)
            if !extraction.references.isEmpty {
                #expect(mayNameImages(bytes, kind: kind, options: options))
            }
            let data = extraction.references.filter { $0.kind == .data }
            count += data.count
            let same = try rewrite(
                bytes, extraction: extraction,
                replacements: data.map { Replacement(reference: $0, url: $0.url) })
            #expect(same.bytes == bytes, "\(String(decoding: bytes, as: UTF8.self))")
            let names = data.indices.map { "https://s/\($0)" }
            let other = try rewrite(
                bytes, extraction: extraction,
                replacements: zip(data, names).map { Replacement(reference: $0, url: $1) })
            let again = extract(other.bytes, kind: kind, options: options)
            #expect(again.references.filter { $0.kind == .data }.map(\.url) == names)
        }
        #expect(count > 20)
    }
}

/// Generates scripts and data of which most are valid.
private struct DataGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func document(_ kind: DocumentKind) -> [UInt8] {
        let count = Int.random(in: 1...5, using: &random)
        let values = (0..<count).map { _ in value(depth: 3) }
        let script = "a(" + values.map { literal($0) }.joined(separator: ",") + ")"
        let json = "[" + values.map(quoted).joined(separator: ",") + "]"
        let text =
            switch kind {
            case .script: script
            case .html:
                "<script>\(script)</script><p data-a='\(json.replacing("&", with: "&amp;").replacing("'", with: "&#39;"))'>"
            case .text: values.indices.map { "\($0):\(json)\n" }.joined()
            default: json
            }
        var bytes = Array(text.utf8)
        if Int.random(in: 0..<4, using: &random) == 0, !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                Self.signs.randomElement(using: &random) ?? 0
        }
        return bytes
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where depth > 0: return "{\"b\":\(quoted(value(depth: depth - 1)))}"
        case 1:
            return "<img src=\"https://h/\(Int.random(in: 0..<9, using: &random)).png\" alt='x'>"
        case 2: return "https://h/a.png 1x, https://h/b 2x"
        case 3: return "text é \\ / ' \" https://h/x.png"
        default: return "https://h/\(Int.random(in: 0..<99, using: &random))"
        }
    }

    private func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    private mutating func literal(_ text: String) -> String {
        let quote = ["\"", "'", "`"].randomElement(using: &random) ?? "'"
        let slash = ["/", "\\/", "\\u002F", "\\x2F"].randomElement(using: &random) ?? "/"
        return quote
            + text.replacing("\\", with: "\\\\").replacing("/", with: slash)
            .replacing(quote, with: "\\\(quote)") + quote
    }

    private static let signs = Array("\"'`\\/{}[]()<>&$,:; \n\0é".utf8)
}
