import Documents
import Recipes

extension VariantOptions {
    /// The options for images with this role.
    ///
    /// Icons keep their format and size, because browsers and systems choose among them by both.
    /// Feed readers, social networks and search engines do not support WebP and AVIF reliably.
    func suited(to role: Reference.Role) -> VariantOptions {
        var options = self
        switch role {
        case .icon:
            options.format = .keep
            options.maximumWidth = nil
        case .social, .enclosure: options.isForReaders = true
        case .content, .background, .poster, .preload: break
        }
        return options
    }

    /// The options that keep the properties that a claim of the document fixes.
    func keeping(_ fixed: Reference.FixedProperties) -> VariantOptions {
        var options = self
        if fixed.contains(.format) {
            options.format = .keep
            options.isForReaders = false
        }
        if fixed.contains(.size) { options.maximumWidth = nil }
        return options
    }
}
