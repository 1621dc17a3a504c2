package import Pictures
package import Reports

/// What is known about one image, for `imgbake explain`.
package struct ImageExplanation: Encodable, Sendable {
    /// The stored response of a URL.
    package struct Stored: Encodable, Sendable {
        package var status: Int
        package var bytes: Int
        package var sha256: String
        package var mediaType: String
        /// In seconds.
        package var age: Int64
        /// The seconds for which no server is asked; 0 if it is stale.
        package var freshFor: Int64
        /// Why it is fresh for that long.
        package var freshness: String
        /// The problem in spite of which it is used; nil for none.
        package var warning: String?
    }

    /// An element that names the image, with the decisions about more than its URL.
    package struct Element: Encodable, Hashable, Sendable {
        package var document: String
        package var line: Int
        package var column: Int
        /// The decisions and their reasons, each in a clause.
        package var decisions: [String]
    }

    /// One of the files that are made of the image.
    package struct Variant: Encodable, Hashable, Sendable {
        /// The purpose of a file.
        package enum Use: String, CaseIterable, Encodable, Sendable {
            /// The URL that replaces that of the source.
            case image
            /// A smaller one in a `srcset`.
            case srcset
            /// A `<source>` of a `<picture>`.
            case picture
        }

        package var use = Use.image
        /// The decisions and their reasons, each in a clause.
        package var decisions: [String]
        /// The name of the file in the image folder; nil if it is not made yet.
        package var file: String?
        package var format: String?
        package var width: Int?
        package var height: Int?
        package var bytes: Int?
        /// The encoder's number of a lossy encoding; nil without loss, and for the source's bytes.
        package var quality: Int?
    }

    /// The URL without credentials, or the path of an image of the site.
    package var url: String
    /// In the order of documents and places.
    package var uses: [Diagnostic.Place]
    /// A rule of `overrides` that is for the image in some of the documents.
    package struct Override: Encodable, Hashable, Sendable {
        /// Where the rule is written.
        package var origin: String
        /// The values as they were written, by the keys of settings.
        package var set: [String: String]
        /// The documents in which it counts.
        package var documents: [String]
    }

    /// The elements that get more than another URL, in the order of ``uses``.
    package var elements: [Element] = []
    /// In the order of the file; a later one counts more.
    package var overrides: [Override] = []
    /// The image that the lockfile has for the URL; nil for none.
    package var locked: Lockfile.Image?
    package var stored: Stored?
    /// The URLs of the files that a stored style sheet names.
    package var names: [String] = []
    /// The reason why the URL is not requested at present, or why what is stored is not used; nil for
    /// none.
    package var failure: String?
    package var variants: [Variant]
}
