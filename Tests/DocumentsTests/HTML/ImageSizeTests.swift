import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ImageSizeTests {
    private let size = Replacement.Size(width: 480, height: 320)

    @Test(arguments: [
        ("<img src=\"a.png\">", "<img src=\"n.png\" width=\"480\" height=\"320\">"),
        ("<img src='a.png'alt=x>", "<img src='n.png' width=\"480\" height=\"320\"alt=x>"),
        ("<img src=a.png>", "<img src=n.png width=\"480\" height=\"320\">"),
        ("<img src=\"a.png\"/>", "<img src=\"n.png\" width=\"480\" height=\"320\"/>"),
        (
            "<img src=\"a.png\" class=x>",
            "<img src=\"n.png\" width=\"480\" height=\"320\" class=x>"
        ),
        (
            "<template><img src=\"a.png\"></template>",
            "<template><img src=\"n.png\" width=\"480\" height=\"320\"></template>"
        ),
    ])
    func addsSizeToImagesWithoutSize(text: String, expected: String) {
        #expect(replaceAll(text, .html, with: ["n.png"], size: size) == expected)
    }

    @Test(arguments: [
        "<img src=\"⟦a.png⟧\" width=3>",
        "<img height=\"\" src=\"⟦a.png⟧\">",
        "<img src=\"⟦a.png⟧\" width=3 height=2>",
        "<img src=\"⟦a.png⟧\" STYLE=\"max-WIDTH: 100%\">",
        "<img src=\"⟦a.png⟧\" style=\"height:auto\">",
        "<img src=\"⟦a.png⟧\" style=\"color:red\">",
        "<picture><img src=\"⟦a.png⟧\"></picture>",
        "<img src=\"⟦a.png⟧\" srcset=\"data:x 800w\">",
        "<img src=\"⟦a.png⟧\" data-srcset=\"data:x 800W, data:y 1600w \">",
        "<img srcset=\"⟦a.png⟧\">",
        "<picture><source src=\"⟦a.png⟧\"></picture>",
        "<p style=\"background:url(⟦a.png⟧)\">",
    ])
    func addsNoSizeToOtherImages(text: String) throws {
        let marked = Marked(text)
        let bytes = marked.bytes
        let extraction = extract(bytes, kind: .html)
        let replacements = extraction.references.filter { $0.url == "a.png" }.map {
            Replacement(reference: $0, url: "n.png", size: size)
        }
        let result = try rewrite(bytes, extraction: extraction, replacements: replacements)
        #expect(String(decoding: result.bytes, as: UTF8.self) == marked.replacing(["n.png"]))
    }
}
