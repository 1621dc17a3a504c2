import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FrontMatterTests {
    @Test(arguments: [
        "---\ntitle: x\nbody: |\n  ![a](a.png)\n---\n![a](⟦a.png⟧)",
        "---\r\ntitle: ![a](a.png)\r\n---\r\n![a](⟦a.png⟧)",
        "---  \n\"title\": '![a](a.png)'\n...\n![a](⟦a.png⟧)",
        "\u{FEFF}---\ntitle: ![a](a.png)\n---\n![a](⟦a.png⟧)",
        "+++\ntitle = '![a](a.png)'\n+++\n![a](⟦a.png⟧)",
        "---\n---\n![a](⟦a.png⟧)",
        "---\n\ntitle: x\n---\n![a](⟦a.png⟧)",
    ])
    func skipsFrontMatter(text: String) {
        expectReferences(text, .markdown)
    }

    @Test(arguments: [
        "---\n\n![a](⟦a.png⟧)\n\n---\n",
        "---\ntitle: x\n\n![a](⟦a.png⟧)",
        "----\ntitle: ![a](⟦a.png⟧)\n----\n",
        " ---\ntitle: ![a](⟦a.png⟧)\n---\n",
        "text\n\n---\ntitle: ![a](⟦a.png⟧)\n---\n",
        "+++\ntitle ![a](⟦a.png⟧)",
    ])
    func findsNoFrontMatterInOtherText(text: String) {
        expectReferences(text, .markdown)
    }
}
