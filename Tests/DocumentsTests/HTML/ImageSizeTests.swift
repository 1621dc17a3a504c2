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
            "<img src=\"a.png\" style=\"color:red\">",
            "<img src=\"n.png\" width=\"480\" height=\"320\" style=\"color:red\">"
        ),
        (
            "<template><img src=\"a.png\"></template>",
            "<template><img src=\"n.png\" width=\"480\" height=\"320\"></template>"
        ),
    ])
    func isAddedWhereThereIsNone(text: String, expected: String) {
        #expect(replaceAll(text, .html, with: ["n.png"], size: size) == expected)
    }

    @Test(arguments: [
        "<img src=\"⟦a.png⟧\" width=3>",
        "<img height=\"\" src=\"⟦a.png⟧\">",
        "<img src=\"⟦a.png⟧\" width=3 height=2>",
        "<img src=\"⟦a.png⟧\" STYLE=\"max-WIDTH: 100%\">",
        "<img src=\"⟦a.png⟧\" style=\"height:auto\">",
        "<img srcset=\"⟦a.png⟧\">",
        "<picture><source src=\"⟦a.png⟧\"></picture>",
        "<p style=\"background:url(⟦a.png⟧)\">",
    ])
    func isLeftWhereThereIsOneOrNoPlace(text: String) {
        let marked = Marked(text)
        #expect(
            replaceAll(marked.text, .html, with: ["n.png"], size: size)
                == marked.replacing(["n.png"]))
    }
}
