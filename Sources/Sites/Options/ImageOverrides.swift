package import Recipes

/// Settings for some of the images: the rules of `overrides:`.
///
/// The last rule counts, since lists go from the general to the special.
package struct ImageOverrides: Encodable, Sendable {
    /// A rule is for an image if each of its lists is empty or has a match.
    package struct Rule: Encodable, Sendable {
        /// The paths of documents, relative to the site.
        package var documents: [Glob] = []
        /// The URLs of images, with or without the scheme, or the paths of the site's own images.
        package var urls: [Glob] = []
        /// What it changes.
        package var change = Change()
        /// Where it is written, such as `imgbake.yml:12`.
        package var origin = ""

        // Another place of the same rule changes no image.
        private enum CodingKeys: CodingKey { case documents, urls, change }

        package init() {}

        /// Whether the rule has matched any image.
        package var isUsed: Bool {
            [urls, documents].allSatisfy { $0.isEmpty || $0.contains(where: \.isUsed) }
        }

        fileprivate func matches(_ url: String, in document: String) -> Bool {
            (urls.isEmpty || urls.contains { $0.matches(url: url) })
                && (documents.isEmpty || documents.contains { $0.matches(document) })
        }
    }

    /// A change of the options of images.
    package struct Change: Encodable, Sendable {
        /// The values of settings as they were written, by their keys.
        package var values: [String: String]
        private let apply: @Sendable (inout ImageOptions) -> Void

        private enum CodingKeys: CodingKey { case values }

        package init(
            _ values: [String: String] = [:],
            apply: @escaping @Sendable (inout ImageOptions) -> Void = { _ in }
        ) {
            self.values = values
            self.apply = apply
        }

        /// What the defaults for several files become.
        fileprivate var responsive: ResponsiveOptions { changing(ImageOptions()).responsive }

        fileprivate func changing(_ options: ImageOptions) -> ImageOptions {
            var options = options
            apply(&options)
            return options
        }
    }

    /// In the order of the file: of two rules that change one setting, the later one counts.
    package var rules: [Rule] = []

    package init() {}

    /// Whether some elements get more than another URL.
    var describeImages: Bool { rules.contains { $0.change.responsive.describesImages } }

    /// Whether some images are made in several widths.
    var makeSeveral: Bool { rules.contains { $0.change.responsive.isOn } }

    /// Whether a rule has a value for a setting.
    package func set(_ key: String) -> Bool {
        rules.contains { $0.change.values[key] != nil }
    }

    /// The rules for an image of a document.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - document: The path of the document, relative to the site.
    /// - Returns: The rules in the order of the file.
    package func rules(for source: ImageLocation, in document: String) -> [Rule] {
        if rules.isEmpty { return [] }
        let url =
            switch source {
            case .remote(let url): url
            case .local(let path): path
            }
        return rules.filter { $0.matches(url, in: document) }
    }

    /// The options for an image of a document; parameters as in ``rules(for:in:)``.
    package func options(
        _ usual: ImageOptions, for source: ImageLocation, in document: String
    ) -> ImageOptions {
        rules(for: source, in: document).reduce(usual) { $1.change.changing($0) }
    }
}

/// The options of one image and its element.
package struct ImageOptions: Sendable {
    package var variants = VariantOptions()
    package var responsive = ResponsiveOptions()
    /// Whether the element gets `width` and `height` if it does not give its size.
    package var addsDimensions = false

    package init() {}

    /// The options of a site.
    package init(_ reading: ReadingOptions, _ variants: VariantOptions) {
        self.variants = variants
        responsive = reading.responsive
        addsDimensions = reading.addsDimensions
    }
}
