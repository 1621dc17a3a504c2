import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HTMLRefusalTests {
    private func problems(_ text: String) -> [DocumentProblem.Reason] {
        let extraction = extract(Array(text.utf8), kind: .html)
        #expect(extraction.references.isEmpty)
        return extraction.problems.map(\.reason)
    }

    private func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count) + "<img src=a.png>"
    }

    @Test(arguments: ["<div>", "<span>", "<b>", "<x-y>", "<svg>", "<table><td>", "<ul><li>"])
    func refusesDeepNesting(tag: String) {
        let reasons = problems(repeated(tag, 5_000))
        #expect(reasons.count == 1)
        guard case .tooComplex = reasons.first else {
            Issue.record("\(reasons)")
            return
        }
    }

    @Test(arguments: [
        "<p><div></p>", "<span><div></span>", "<b><div></b>", "<form><div></form>",
        "<li><ul></li>", "<svg><div></svg>", "<svg></svg><div>", "<select><input><div></select>",
        "<select><select><div></select>",
        "<select><input><span><select></select>", "<div><!--</div>-->",
        "<button><div></button><div>",
        "<svg><style><g></style>", "<math><mi><div></math>",
        "<p><ul>", "<dd><dl>", "<svg><p></p><foo/>", "<div><script></div></script>",
        "<table><td><div></table><div>",
    ])
    func refusesDeepNestingBehindUselessEndTags(tags: String) {
        let reasons = problems(repeated(tags, 4_200))
        #expect(reasons == [.tooComplex("elements nested too deeply")])
    }

    @Test func refusesRepeatedlyReconstructedFormatting() {
        let text = (0..<2_000).map { "<p><b id=\($0)>" }.joined()
        #expect(
            problems(text + "<img src=a.png>")
                == [.tooComplex("too many unclosed formatting elements")])
    }

    @Test(arguments: ["b", "a", "p><font"])
    func refusesRepeatedlyReconstructedLongFormatting(tag: String) {
        let open = "<p><\(tag) title=\"\(String(repeating: "a", count: 200_000))\">"
        #expect(
            problems(open + repeated("</p><p>x", 2_000))
                == [.tooComplex("too many unclosed formatting elements")])
    }

    @Test(arguments: [
        "<p>x<frameset>", "<select><style>x</style></select>", "<template><col><img src=b.png>",
    ])
    func refusesTagsThatBrowsersReadInDifferentWays(text: String) {
        let reasons = problems(text + "<img src=a.png>")
        #expect(reasons == [.tooComplex("a tag that browsers read in different ways")])
    }

    @Test(arguments: [
        ("<b title=\"⟦⟧\">x</b>", ""), ("<a href=\"⟦⟧\">x</a>", ""), ("<a href=\"⟦⟧\">x<a>y", ""),
        ("<table><td><b title=\"⟦⟧\"><td>", "</table>"),
        ("<table><td><a href=\"⟦⟧\"><td>", "</table>"),
        ("<b title=\"⟦⟧\"><table><td><i>x</table></b>", ""),
        ("<b><b><b><i title=\"⟦⟧\"></i></b></b></b>", ""),
    ])
    func readsClosedLongFormatting(start: String, end: String) {
        let value = String(repeating: "a", count: 200_000)
        let text = start.replacing("⟦⟧", with: value) + repeated("<p>x", 2_000) + end
        let extraction = extract(Array(text.utf8), kind: .html)
        #expect(extraction.problems == [])
        #expect(extraction.references.count == 1)
    }

    @Test(arguments: [">", ""])
    func refusesTagWithManyAttributes(end: String) {
        let text = "<img src=a.png " + (0..<300).map { "a\($0) " }.joined() + end
        #expect(problems(text) == [.tooComplex("a tag with more than 256 attributes")])
    }

    @Test(arguments: [
        "<p>a", "<li>a", "<tr><td>a", "<dt>a<dd>b", "<option>a", "<br>", "<a name=x>", "<p><b>a",
        "<div><p>a</div>", "<p><span>a</p>", "<b><i>a</b></i>", "<p><a name=x>a", "<td><font>a",
        "<svg><g><path/></g></svg>", "<svg viewBox=x /><i></i>", "<table><tr><td>x<tr><td></table>",
        "<ul><li>a<li>b<ul><li>c</ul></ul>", "<select><option>a<option>b</select>",
        "<script>if (a<b) c('<div>')</script>", "<svg><style>a>b{}</style></svg>", "</div>",
    ])
    func readsLongHTML(tags: String) {
        let text = "<table><select></select>" + repeated(tags, 4_500)
        let extraction = extract(Array(text.utf8), kind: .html)
        #expect(extraction.problems == [])
        #expect(extraction.references.count == 1)
    }

    @Test func refusesTreeTooDeepForSomeParserVersions() {
        #expect(problems(repeated("<div>", 395)) == [.tooComplex("elements nested too deeply")])
        #expect(extract(Array(repeated("<div>", 380).utf8), kind: .html).references.count == 1)
    }
}
