import TestSupport
import Testing

@testable import FetchCache

@Suite("The codes in the answers of S3", .timeLimit(.minutes(1)))
struct ErrorTextTests {
    @Test(
        arguments: [
            ("<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>", "AccessDenied"),
            (
                "<ErrorResponse><Error><Type>Sender</Type>\n<Code>ExpiredToken</Code></Error>",
                "ExpiredToken"
            ),
            ("<Error><Code></Code></Error>", nil), ("<Error><Code>a b</Code></Error>", nil),
            ("<Error><Code>a\u{1B}[31m</Code></Error>", nil), ("<Error><Code>AccessDen", nil),
            ("<html><Code>x</Code></html>", nil), ("", nil),
            ("<Error><Code>\(String(repeating: "a", count: 65))</Code></Error>", nil),
        ] as [(String, String?)])
    func codeIsShortAndPlain(body: String, code: String?) {
        #expect(ErrorText.serviceCode(in: Array(body.utf8)) == code)
    }

    @Test func errorHasTheCodeOfTheService() async throws {
        let fixture = try await Fixture()
        var route = OriginRoute(
            Array("<Error><Code>AccessDenied</Code></Error>".utf8), contentType: "application/xml")
        route.status = 403
        fixture.origin["/a.png"] = route
        let error = try #require(await fixture.failure("/a.png"))
        #expect(error.status == 403 && error.serviceCode == "AccessDenied")
        #expect(error.detail.contains("(AccessDenied)"))
        fixture.origin["/b.png"] = .status(403)
        #expect(await fixture.failure("/b.png")?.serviceCode == nil)
    }
}
