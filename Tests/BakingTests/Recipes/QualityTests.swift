import Recipes
import Testing

@testable import Baking

/// The quality of images as text.
@Suite struct QualityTests {
    /// The list of origins has such a text for each reference, and a text of another form would make
    /// all of them be baked again.
    @Test(arguments: [("60", "60"), ("1", "1"), ("high", "high"), ("auto", "auto"), ("LOW", "low")])
    func textOfQualityCanBeRead(text: String, expected: String) throws {
        let quality = try #require(Quality(text))
        #expect(quality.description == expected)
        #expect(Quality(quality.description) == quality)
    }

    @Test(arguments: ["", "0", "101", "best", "1.5", "-1"]) func otherTextIsRefused(text: String) {
        #expect(Quality(text) == nil)
    }
}
