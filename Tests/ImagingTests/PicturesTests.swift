import TestSupport
import Testing

/// The test images have the expected properties according to libvips' own tools.
@Suite(.timeLimit(.minutes(10)))
struct PicturesTests {
    @Test(arguments: ["jpg", "png", "gif", "webp", "avif"])
    func sceneHasSizeAndLooksTheSame(format: String) throws {
        let bytes = try Pictures.scene(as: format)
        let facts = try PictureFacts(of: bytes)
        #expect((facts.width, facts.height) == (320, 240))
        let other = try Fingerprint(of: Pictures.scene(width: 160, height: 120, as: "png"))
        #expect(try Fingerprint(of: bytes).resembles(other))
    }

    @Test func otherSeedLooksDifferent() throws {
        let first = try Fingerprint(of: Pictures.scene(seed: 1))
        #expect(try first.distance(to: Fingerprint(of: Pictures.scene(seed: 2))) > 12)
    }

    @Test(arguments: 1...8)
    func orientedIsUprightWhenTurned(orientation: Int) throws {
        let bytes = try Pictures.oriented(orientation)
        let facts = try PictureFacts(of: bytes)
        #expect(facts.width == (orientation < 5 ? 320 : 240))
        #expect(facts.fields["orientation"] == "\(orientation)")
        #expect(try Fingerprint(of: bytes).resembles(Fingerprint(of: Pictures.scene())))
    }

    @Test(arguments: ["gif", "webp"])
    func animationKeepsItsTimes(format: String) throws {
        let bytes = try Pictures.animation(delays: [40, 130, 900, 20], loop: 3, as: format)
        let facts = try PictureFacts(of: bytes)
        #expect(facts.frameCount == 4)
        #expect(facts.delays == [40, 130, 900, 20])
        #expect(facts.loop == 3)
        #expect(facts.height == 60)
    }

    @Test func colourSpacesAreNamed() throws {
        #expect(try PictureFacts(of: Pictures.sixteenBit()).interpretation == "rgb16")
        #expect(try PictureFacts(of: Pictures.cmyk()).interpretation == "cmyk")
        #expect(try PictureFacts(of: Pictures.cmyk()).fields["icc-profile-data"] != nil)
        #expect(try PictureFacts(of: Pictures.cmyk(hasProfile: false)).interpretation == "cmyk")
        #expect(
            try PictureFacts(of: Pictures.cmyk(hasProfile: false)).fields["icc-profile-data"] == nil
        )
        #expect(try PictureFacts(of: Pictures.displayP3()).fields["icc-profile-data"] != nil)
        #expect(
            try Fingerprint(of: Pictures.displayP3()).resembles(Fingerprint(of: Pictures.scene())))
    }

    @Test func bombIsAValidPNG() throws {
        let small = try PictureFacts(of: Pictures.bomb(width: 3000, height: 2000))
        #expect((small.width, small.height) == (3000, 2000))
        _ = try Fingerprint(of: Pictures.bomb(width: 3000, height: 2000))
        let large = Pictures.bomb()
        #expect(large.count < 1_000_000)
        #expect(try PictureFacts(of: large).width == 30_000)
    }

    @Test func locatedContainsSecret() throws {
        let facts = try PictureFacts(of: Pictures.located())
        #expect(facts.fields.values.contains { $0.contains(Pictures.secret) })
    }

    @Test func photoHasRequestedSize() throws {
        let bytes = try Pictures.photo(width: 3000, height: 2000)
        #expect(try PictureFacts(of: bytes).width == 3000)
        #expect((400_000...3_000_000).contains(bytes.count))
    }
}
