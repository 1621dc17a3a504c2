import DocumentSyntax
import Documents
import Testing

/// Tests query keys that are also attribute names: `?style=flat&logo=x`.
@Suite(.timeLimit(.minutes(10)))
struct QueryKeyTests {
    private static let keys = [
        "src", "srcset", "href", "poster", "content", "background", "data", "style", "width",
        "height", "data-src", "imagesrcset",
    ]

    @Test(arguments: keys, [DocumentKind.markdown, .mdx, .html])
    func readsQueryKeyNamedLikeAttributeAsPartOfURL(key: String, kind: DocumentKind) {
        let badge = "https://img.shields.io/badge/a-b.svg?\(key)=flat&logo=x"
        expectReferences("<img src=\"⟦\(badge)⟧\">", kind)
        expectReferences("a <img alt=b src='⟦\(badge)⟧' title=\"c\"> d", kind)
        expectReferences(
            "<a href=\"\(badge)\"><img src=\"⟦\(badge)⟧\"></a> <img src=\"⟦\(badge)&y=z⟧\"/>", kind)
    }

    @Test(arguments: [
        "<p align=\"center\">\n<img src=\"⟦https://h/b.svg?style=flat&logo=x⟧\">\n</p>",
        "> text <img src=\"⟦https://h/b.svg?style=flat&logo=x⟧\"> text\n> more",
        "- x <img src='⟦https://h/b.svg?width=1&height=2⟧'>\n",
        "| <img src=\"⟦https://h/b.svg?style=flat&logo=x⟧\"> | b |\n|---|---|\n| c | d |",
        "<img srcset=\"⟦https://h/b?width=1&x⟧ 1x, ⟦https://h/b?width=2&x⟧ 2x\">",
        "x <b title=\"a?src=b&c\">y</b> <img src=\"⟦a?b&c⟧\">",
        "x <b title='say src=\"b&c'>y</b> <img alt=\"d\" src=\"⟦a?b&c⟧\">",
        "<style>a{b:url(⟦https://h/b?style=flat&logo=x⟧)}</style>\n\n<img src=\"⟦a&b⟧\">",
        "<style>a{b:url('⟦https://h/b?style=flat&logo=x⟧')}</style>\n",
        "<p style=\"background:url(⟦https://h/b?style=flat&x⟧)\">x</p>",
        "<script type=\"application/ld+json\">{\"image\":\"⟦https://h/b?style=a&x⟧\"}</script>",
        "| ![](⟦a?style=b&c⟧)|x|\n|---|---|\n| <img src=\"⟦a&b⟧\"> | y |",
        "[![](⟦https://h/b?style=a&b⟧)](https://h/?style=a&b) <img src=\"⟦a&b⟧\">",
        "![a][b] <img src=\"⟦a&b⟧\">\n\n[b]: <⟦https://h/b?style=a&b⟧> \"t\"",
        "<div>\n<img src=⟦https://h/b?style=a&b⟧>\n<img src=⟦a\"b&c⟧>\n</div>",
        "set a=\"b, then <img src=⟦c&d⟧> and <img src=\"⟦https://h/b?style=a&b⟧\">",
    ])
    func readsQueryKeysInEveryContext(text: String) {
        expectReferences(text, .markdown)
    }

    @Test func readsQueryKeysAfterEntities() {
        expectReferences(
            "<img src=\"⟦https://h/b.svg?style=flat&amp;logo=x&amp;src=y⟧\"> <img src='⟦a&amp;data=x⟧'>",
            .markdown, urls: ["https://h/b.svg?style=flat&logo=x&src=y", "a&data=x"])
    }

    @Test func findsEachOfManyBadges() {
        let badges = (0..<200).map {
            "<img src=\"⟦https://h/badge/\($0)-b.svg?style=flat&logo=x\($0)&logoColor=white⟧\">"
        }
        expectReferences(badges.joined(separator: "\n"), .markdown)
        expectReferences("# x\n\n" + badges.joined(separator: " x "), .markdown)
    }
}
