import DocumentSyntax
import Documents
import Testing

struct PrecheckTests {
    @Test(arguments: [
        (DocumentKind.markdown, "![a](a)"), (.markdown, "![a]\n\n[a]: b"),
        (.markdown, "x <IMG src=a>"),
        (.markdown, "<source srcset=a>"), (.html, "<Image src=a>"), (.html, "<p style='a:URL(b)'>"),
        (.html, "<style>a{b:-webkit-image-set('a' 1x)}</style>"), (.css, "a{b:url(c)}"),
        (.css, "a{b:\\75rl(c)}"), (.css, "a{b:image-set('c')}"),
    ])
    func acceptsTextWithImages(kind: DocumentKind, text: String) {
        #expect(mayNameImages(Array(text.utf8), kind: kind))
    }

    @Test(arguments: [
        (DocumentKind.markdown, "# Text with [a link](b) and <b>more</b>!"),
        (.markdown, "![ ![ ![ !["),
        (.markdown, "]( ]( ]("), (.markdown, ""), (.html, "<p>text (url) <link href=a.css>"),
        (.css, "a{color:red;content:\"\\201C\"}"), (.css, "a{width:calc(1px)}"), (.html, ""),
        (.css, ""),
    ])
    func rejectsTextWithoutImages(kind: DocumentKind, text: String) {
        #expect(!mayNameImages(Array(text.utf8), kind: kind))
    }
}

struct DocumentKindTests {
    @Test(arguments: [
        ("md", DocumentKind.markdown), ("Markdown", .markdown), ("HTML", .html), ("htm", .html),
        ("css", .css), ("txt", nil), ("", nil), ("md ", nil),
    ])
    func recognisesFileExtensions(fileExtension: String, kind: DocumentKind?) {
        #expect(DocumentKind(fileExtension: fileExtension) == kind)
    }
}
