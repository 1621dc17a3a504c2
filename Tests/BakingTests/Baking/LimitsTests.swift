import FetchCache
import Recipes
import Testing

/// The documented default limits.
@Suite struct LimitsTests {
    @Test func defaultLimitsOfTransfers() {
        let configuration = FetchConfiguration(folder: "/x")
        #expect(configuration.downloader.limits.transfers == 24)
        #expect(configuration.downloader.limits.transfersPerHost == 6)
        #expect(configuration.downloader.times.connect == .seconds(5))
        #expect(configuration.downloader.times.stall == .seconds(15))
        #expect(configuration.downloader.limits.bodyBytes == 50_000_000)
        #expect(configuration.downloader.limits.redirects == 10)
        #expect(!configuration.downloader.network.allowsPrivateNetwork)
    }

    @Test func defaultLimitsOfImages() {
        let limits = Limits()
        #expect(limits.pixels == 100_000_000)
        #expect(limits.seconds == 20)
        #expect(limits.memoryBytes == 1 << 30)
    }
}
