import FetchCache
import Recipes
import Testing

/// The documented default limits.
@Suite struct LimitsTests {
    @Test func defaultLimitsOfTransfers() {
        let configuration = FetchConfiguration(cacheDirectory: "/x")
        #expect(configuration.maximumTransfers == 24)
        #expect(configuration.maximumTransfersPerHost == 6)
        #expect(configuration.connectTimeout == .seconds(5))
        #expect(configuration.stallTimeout == .seconds(15))
        #expect(configuration.maximumBodyBytes == 50_000_000)
        #expect(configuration.maximumRedirects == 10)
        #expect(!configuration.allowsPrivateNetwork)
    }

    @Test func defaultLimitsOfImages() {
        let limits = Limits()
        #expect(limits.pixels == 100_000_000)
        #expect(limits.seconds == 20)
        #expect(limits.memoryBytes == 1 << 30)
    }
}
