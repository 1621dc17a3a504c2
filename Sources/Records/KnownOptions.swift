import FoundationEssentials
import Locks
package import Recipes

/// The options of images in stored results, as texts.
///
/// A site uses few different ones, so each is encoded and decoded only once.
package enum KnownOptions {
    private static let decoded = Locked<[String: VariantOptions]>([:])
    private static let texts = Locked<[VariantOptions: String]>([:])
    /// A damaged cache must not exhaust memory.
    private static let largestCount = 1_000

    package static func options(_ text: String) -> VariantOptions? {
        decoded.withLock { known in
            if let options = known[text] { return options }
            let options = try? JSONDecoder().decode(VariantOptions.self, from: Data(text.utf8))
            if known.count < largestCount { known[text] = options }
            return options
        }
    }

    package static func text(of options: VariantOptions) -> String {
        texts.withLock { known in
            if let text = known[options] { return text }
            let text = canonicalText(of: options)
            if known.count < largestCount { known[options] = text }
            return text
        }
    }
}
