import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SrcsetTests {
    @Test(arguments: [
        "⟦a.png⟧",
        "⟦a.png⟧ 1x, ⟦b.png⟧ 2x",
        "⟦a.png⟧ 100w 50h,⟦b.png⟧ 200w",
        " , ,\n⟦a.png⟧,, ⟦b.png⟧ ,",
        "⟦a,b.png⟧ 1x, ⟦c,d,e.png⟧ 2x",
        "⟦data:image/png;base64,AAA=⟧ 1x, ⟦data:image/svg+xml,%3Csvg/%3E⟧ 2x",
        "⟦a.png⟧ 1x,⟦b.png⟧",
        "⟦a.png,b.png⟧, ⟦c.png⟧",
        "⟦a.png⟧ (x,y) 1x, ⟦b.png⟧",
        "⟦a.png⟧ (x,y",
        "⟦http://h/w_100,h_50/a.png⟧\n\t1x\n\t,\n\t⟦http://h/b.png⟧\n\t2x\n",
    ])
    func splitsCandidatesLikeBrowsers(value: String) {
        expectReferences("<img srcset=\"\(value)\">", .html)
        expectReferences("<source srcset='\(value)'>", .html)
    }

    @Test(arguments: [
        ("⟦a&amp;b⟧ 1x, ⟦c⟧ 2x", ["a&b", "c"]),
        ("⟦a&#44;b⟧&#32;1x&comma;&Tab;⟦c⟧", ["a,b", "c"]),
        ("⟦a&lt;b⟧ 1x,\r\n⟦c⟧ 2x", ["a<b", "c"]),
    ])
    func findsCandidatesAmongEntities(value: String, urls: [String]) {
        expectReferences("<img srcset=\"\(value)\">", .html, urls: urls)
    }

    @Test func encodesCommasAtTheEndsOfURLs() {
        let output = replaceAll("<img srcset=\"a.png 1x, b.png\">", .html, with: [",x,y,", "a b"])
        #expect(output == "<img srcset=\"%2Cx,y%2C 1x, a%20b\">")
    }
}
