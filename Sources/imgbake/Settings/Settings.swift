import Baking
import FetchCache
import Recipes

/// All that can be set, in a file or on the command line; with the defaults of the command.
struct Settings: Sendable {
    /// The folder to write a complete copy to; nil bakes in place.
    var output: String?
    /// Whether documents that are baked in place are on disk before they replace the old ones.
    var isSynced = true
    /// Whether a copy gets all hidden files.
    var copiesHidden = false
    /// Which images are meant, and where they go.
    var reading = ReadingOptions()
    /// What images become.
    var variants = VariantOptions()
    /// How many images are transformed at once; nil for one a processor.
    var jobs: Int?
    /// The longest time to spend on transforming one image.
    var imageTimeout: Duration = .seconds(20)
    /// The most pixels that one image, or one frame of an animation, may have.
    var maximumPixels = Limits().pixels
    /// Whether images are decoded where the sandbox of the workers cannot be closed.
    var allowsWeakSandbox = false
    /// What an image that cannot be had comes to.
    var onError = ErrorPolicy.fail
    /// Where the cache is; nil for the folder that the environment says.
    var cacheDirectory: String?
    /// The cache and its limits on the network; its folder is set at the end.
    var fetching: FetchConfiguration
    /// Which stale images are used where their server fails; nil if nothing was said.
    var staleOnError: FetchConfiguration.StaleOnError?
    /// Hosts that are asked directly although there is a proxy.
    var proxyExceptions: [String] = []
    /// Which `.netrc` credentials are taken from; nil for none.
    var netrc: Netrc?

    /// Where a `.netrc` is.
    enum Netrc: Hashable, Sendable {
        case inHomeFolder
        case file(String)
    }

    /// The defaults.
    init() {
        fetching = FetchConfiguration(cacheDirectory: "")
        fetching.userAgent = "imgbake/\(ImgBake.version) (+https://github.com/imgbake/imgbake)"
    }
}
