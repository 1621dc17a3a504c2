import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MDXTests {
    @Test(arguments: [
        "import Card from './card'\n\n# Title\n\n![a](⟦a.png⟧)\n",
        "export const meta = { image: 'a.png' }\n\n![a](⟦a.png⟧)",
        "<Card>\n\n![a](⟦a.png⟧)\n\n</Card>",
        "<img src={photo} /> <img src='⟦a.png⟧' style={{ color: 'red' }} />",
        "<img srcSet=\"⟦a.png⟧ 1x, ⟦b.png⟧ 2x\" />",
        "{/* ![a](a.png) */} ![b](⟦b.png⟧)",
        "{/*\n<img src=\"a.png\" />\n\n![a](a.png)\n*/}\n\n![b](⟦b.png⟧)",
        "{/* ![a][r] */}\n\n![a][r]\n\n[r]: ⟦a.png⟧",
        "{/* [a][r] */}\n\n![a][r]\n\n[r]: ⟦a.png⟧",
        "![a](⟦a.png⟧) {/* é日本 */} ![b](⟦b.png⟧) {/* open ![c](⟦c.png⟧)",
        "`{/*` ![a](⟦a.png⟧) and `*/}` ![b](⟦b.png⟧)",
        "```\n{/*\n```\n\n![a](⟦a.png⟧)\n\n```\n*/}\n```\n",
        "<img onLoad={() => a} src=\"⟦a.png⟧\" /> <img x={a > b} src='⟦b.png⟧' />",
        "![z](⟦https://h/5.png?a={b}⟧) <img src=\"⟦https://h/a.png?q={a}⟧\" />",
    ])
    func findsImagesInMarkdownWithJSX(text: String) {
        expectReferences(text, .mdx)
    }

    @Test(arguments: [
        "<Image src=\"a.png\" alt={title} />", "<Img src='a.png' srcset='b.png 2x'/>",
        "<Video poster=\"a.png\" />", "<Picture><Source srcset=\"a.png\"/></Picture>",
        "<Link rel=\"icon\" href=\"a.png\" />", "<Meta property='og:image' content='a.png'/>",
        "<Style>{`a{b:url(a.png)}`}</Style>", "<Foo.Image src=\"a.png\" />",
        "<Title>x <img src=\"⟦a.png⟧\"/></Title>", "<Script>{x}</Script>\n\n<img src='⟦a.png⟧'/>",
        "<Image src=\"a.png\">\n\n![b](⟦b.png⟧) <img src=\"⟦c.png⟧\"/>\n\n</Image>",
    ])
    func readsCapitalisedNamesAsComponents(text: String) {
        expectReferences(text, .mdx)
    }

    @Test func readsOnlyControlsOfComponents() {
        let text = "<Image data-imgbake=\"off\" src=\"a.png\" />"
        #expect(extract(Array(text.utf8), kind: .mdx).references.isEmpty)
        #expect(extract(Array("<Image src=\"a.png\">".utf8), kind: .markdown).references.count == 1)
    }

    @Test(arguments: [
        "<img src={\"⟦a.png⟧\"} />", "<img src={ '⟦https://h/a.png⟧' }/>",
        "<img alt=\"x\" src={`⟦a.png⟧`} />",
        "x <video poster={\"⟦a.png⟧\"}></video>",
    ])
    func stringsInBracesAreReadLikeOthers(text: String) {
        expectReferences(text, .mdx)
    }

    @Test(arguments: [
        "export const meta = {image: 'https://h/a.png'}\n\n# x\n",
        "<ThemedImage sources={{light: 'https://h/a.png', dark: x}} />\n",
        "<img src={dark ? 'b' : 'https://h/a.png'} />\n",
        "<div style={{ color: 'red', backgroundImage: \"url('https://h/a.png')\" }}>\n</div>\n",
    ])
    func imagesInExpressionsAreNamed(text: String) {
        let found = extract(Array(text.utf8), kind: .mdx)
        #expect(found.references.isEmpty)
        #expect(found.unread.map(\.url) == ["https://h/a.png"])
        #expect(found.unread.map(\.place) == [.script])
        #expect(extract(Array("```jsx\n\n\(text)```\n".utf8), kind: .mdx).unread.isEmpty)
        #expect(mayNameImages(Array(text.utf8), kind: .mdx))
    }

    @Test(arguments: [
        "<img :src=\"'⟦a.png⟧'\">", "x <img alt=\"x\" v-bind:src='\"⟦a.png⟧\"'> ![](⟦b.png⟧)",
        "`<img :src=\"'a.png'\">` ![](⟦b.png⟧)",
    ])
    func stringsOfVueAreRead(text: String) {
        expectReferences(text, .markdown)
    }

    @Test func longTextsTakeLinearTime() {
        for part in [
            "export const a = 'https://h/a.png';\n", "https://h/a.png ",
            "<X a={'https://h/a.png', b} /> ",
            "<X :a=\"'", "x {a=https://h/a.png ", "<!-- https://h/a.png ",
        ] {
            let text = String(repeating: part, count: 1_000)
            _ = extract(Array(text.utf8), kind: .mdx)
            _ = extract(Array(text.utf8), kind: .markdown)
        }
    }

    @Test func exportsAfterImportsAreNamed() {
        let text = "import a from 'a'\nexport const b = 'https://h/a.png'\nexport const c = 1\n"
        #expect(extract(Array(text.utf8), kind: .mdx).unread.count == 1)
    }

    @Test func otherExpressionsOfVueAreNamed() {
        let text = "<img :src=\"x ? 'https://h/a.png' : y\">\n"
        #expect(extract(Array(text.utf8), kind: .markdown).unread.map(\.url) == ["https://h/a.png"])
    }

    @Test func ignoresComments() {
        let text = "{/* ![a](a.png) */}\n![b](b.png) {/* x */}\n"
        #expect(
            replaceAll(text, .mdx, with: ["n.png"])
                == "{/* ![a](a.png) */}\n![b](n.png) {/* x */}\n")
    }
}
