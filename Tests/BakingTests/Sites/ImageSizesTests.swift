import Testing

@testable import Baking
@testable import Sites

/// The value of a `sizes` attribute.
@Suite struct ImageSizesTests {
    @Test(arguments: [
        "100vw", "50vw", "0", "320px", "12.5em", "calc(100vw - 2 * 10px)", "min(100vw, 700px)",
        "(min-width: 900px) 700px, 100vw", "(width >= 40em) and (width > 3px) 50vw, 100vw",
        "not print 50vw, 100vw",
    ])
    func readsWhatBrowsersRead(text: String) throws {
        #expect(try #require(ImageSizes(text)).text == text)
    }

    @Test(arguments: [
        "", " ", "auto", "100", "50%", "-3px", "wide", "100vw, 50vw", "(min-width: 3px) 100vw",
        "(min-width: 3px 100vw", "100vw)", "100vw\"", "100vw & 3", "(a) x 3px 4, 100vw",
        "100vw, (min-width: 3px) 50vw", "calc(3px", "100vw;", "<b>", "é 3px",
    ])
    func readsNothingElse(text: String) {
        #expect(ImageSizes(text) == nil)
    }

    @Test(arguments: [
        ("100vw", "(max-width: 600px) 100vw, 600px"),
        ("700px", "600px"), ("500px", "500px"),
        (
            "(min-width: 900px) 700px, calc(100vw - 40px)",
            "(min-width: 900px) 600px, min(calc(100vw - 40px), 600px)"
        ),
    ])
    func imageIsNotWiderThanItself(text: String, limited: String) throws {
        #expect(try #require(ImageSizes(text)).limited(to: 600).text == limited)
    }
}
