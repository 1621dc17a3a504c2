import Baking
import Testing

@testable import FetchCache

/// What is said of a URL that could not be fetched.
@Suite struct ReasonTests {
    @Test(
        arguments: [
            (.seconds(0), "0 s"), (.seconds(119), "119 s"), (.seconds(120), "2 min"),
            (.seconds(12 * 60 + 59), "12 min"), (.seconds(7_199), "119 min"),
            (.seconds(7_200), "2 h"), (.seconds(172_800), "2 days"), (.seconds(-5), "0 s"),
        ] as [(Duration, String)])
    func anAgeIsInOneUnit(age: Duration, words: String) {
        #expect(age.asAge == words)
    }

    @Test func aRememberedFailureSaysHowOldItIsAndHowToTryAgain() {
        var error = FetchError(.status, "http://h/", "HTTP 404", status: 404)
        #expect(error.reason == "HTTP 404")
        error.age = .seconds(750)
        #expect(error.reason == "HTTP 404, 12 min ago; --retry-failed asks again")
    }

    @Test(
        arguments: [
            (.tooLarge, "longer than 9 bytes", "--max-bytes allows more"),
            (.offline, "nothing is stored", "run once without --offline"),
            (.forbidden, "::1 is a loopback address", "--allow-private-network allows it"),
            (.forbidden, "the host h is not on the list", "deny-hosts in imgbake.yml"),
        ] as [(FetchError.Code, String, String)])
    func whereThereIsSomethingToDoItIsSaid(
        code: FetchError.Code, detail: String, advice: String
    ) {
        let reason = FetchError(code, "http://h/", detail).reason
        #expect(reason.hasPrefix(detail + "; "))
        #expect(reason.hasSuffix(advice))
    }
}
