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
            (.tooLarge, nil, "--max-bytes"), (.offline, nil, "--offline"),
            (.forbidden, .privateAddress, "--allow-private-network"),
            (.forbidden, .deniedHost, "allow-hosts"),
            (.forbidden, .downgrade, "allow-downgrade"), (.storage, .noSpace, "--cache-dir"),
        ] as [(FetchError.Code, FetchError.Subcode?, String)])
    func theAdviceFollowsFromTheCode(
        code: FetchError.Code, subcode: FetchError.Subcode?, option: String
    ) {
        let error = FetchError(code, "http://h/", "cause", subcode: subcode)
        #expect(error.reason.hasPrefix("cause; "))
        #expect(error.reason.contains(option))
    }

    /// A name of a host is in the text, and may contain any word.
    @Test func wordsOfTheCauseDecideNothing() {
        let cause = "the host address.example is a loopback address"
        #expect(FetchError(.forbidden, "http://h/", cause).reason == cause)
    }

    @Test func anErrorOfTheCacheNamesItsPathAndOneOfTheServerDoesNot() {
        let path = "/cache/index.sqlite"
        #expect(FetchError(.storage, path, "no space left").reasonOfImage.contains(path))
        #expect(!FetchError(.offline, "http://h/", "x").reasonOfImage.contains("http"))
    }
}
