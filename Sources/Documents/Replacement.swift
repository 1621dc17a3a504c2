import DocumentSyntax

/// The new URL of a reference, and the claims and the size to write with it.
package struct Replacement: Sendable {
    /// A size in pixels.
    package struct Size: Sendable, Hashable {
        package var width: Int
        package var height: Int

        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// What to add to an `<img>`; the attributes that it has stay as they are.
    package struct Responsive: Sendable, Hashable {
        /// A file of a `srcset`.
        package struct Candidate: Sendable, Hashable {
            package var url: String
            /// The descriptor with the space before it: ` 800w` or ` 2x`; empty for none.
            package var descriptor: String

            /// - Parameters:
            ///   - url: The URL.
            ///   - width: In pixels; nil for the only file, which has no descriptor.
            package init(url: String, width: Int?) {
                self.init(url: url, descriptor: width.map { " \($0)w" } ?? "")
            }

            package init(url: String, descriptor: String) {
                self.url = url
                self.descriptor = descriptor
            }
        }

        /// A new `<source>` of a `<picture>`.
        ///
        /// The texts of its attributes must not contain quotation marks or `&`.
        package struct Source: Sendable, Hashable {
            /// Such as `image/webp`.
            package var mediaType: String
            package var candidates: [Candidate]
            package var sizes: String?
            package var media: String?
            package var width: String?
            package var height: String?
            /// Whether it has no box because of a class and not of a `style`; see
            /// ``Replacement/sheet``.
            package var isStyledByClass = false

            package init(mediaType: String, candidates: [Candidate], sizes: String? = nil) {
                self.mediaType = mediaType
                self.candidates = candidates
                self.sizes = sizes
            }
        }

        /// In CSS pixels; nil adds none.
        package var width: Int?
        /// In CSS pixels; nil adds none.
        package var height: Int?
        /// The files of the `srcset`; none adds no `srcset`.
        package var candidates: [Candidate] = []
        /// The sources of a `<picture>` around the element; none adds no picture.
        package var sources: [Source] = []
        /// Must not contain quotation marks or `&`.
        package var sizes: String?
        /// Whether to add `loading="lazy"`.
        package var loadsLazily = false
        /// Whether to add `decoding="async"`.
        package var decodesLater = false
        /// A `style`, in one of the forms of ``LoadingStyle``; nil adds none.
        package var style: String?
        /// A `class` of ``AddedSheet``; nil adds none.
        package var className: String?

        package init() {}
    }

    /// A reference that was extracted from the document.
    package var reference: Reference
    /// The new URL; it must not be empty.
    ///
    /// The URL is escaped for its place. Bytes that no URL may contain (control characters, space,
    /// the ASCII characters `"<>\^{|}` and the backtick) are percent-encoded.
    package var url: String
    /// The image's size, to be added as `width` and `height` to an `<img>` of an HTML document.
    ///
    /// It is used only if the reference is the `src` of an `<img>` that has no `width`, `height`,
    /// `style` or `srcset` with `w` descriptors and is not in a `<picture>`.
    package var size: Size?
    /// The attributes to add for smaller files of the image.
    ///
    /// They are used only if the reference has an ``Reference/image``, or with
    /// ``Reference/takesPreloadSet``.
    package var responsive: Responsive?
    /// The candidates to add to the `srcset`.
    ///
    /// They are used only if the reference has ``Reference/widthsOfSet``.
    package var candidates: [Responsive.Candidate]
    /// The sources to add before the element.
    ///
    /// They are used only if the reference has a ``Reference/member``.
    package var sources: [Responsive.Source]
    /// The URL of ``AddedSheet``, to which the page is linked; nil if nothing that is added has a
    /// class of it.
    ///
    /// It needs ``Extraction/headEnd``, and is the same for all replacements of a document.
    package var sheet: String?
    /// The new text of each claim to rewrite; other claims stay unchanged.
    package var claims: [Reference.Claim.Kind: String]
    /// Whether a `srcset` candidate is removed because an earlier candidate is equal to it.
    ///
    /// It has no effect unless ``Reference/isRemovable`` is true.
    package var isRemoved: Bool
}

extension Replacement {
    package init(
        reference: Reference, url: String, size: Size? = nil, responsive: Responsive? = nil,
        candidates: [Responsive.Candidate] = [], sources: [Responsive.Source] = [],
        claims: [Reference.Claim.Kind: String] = [:], isRemoved: Bool = false
    ) {
        self.init(
            reference: reference, url: url, size: size, responsive: responsive,
            candidates: candidates, sources: sources, sheet: nil, claims: claims,
            isRemoved: isRemoved)
    }

    /// Whether something that is added has a class of ``AddedSheet``.
    package var usesClasses: Bool {
        responsive?.className != nil
            || (sources + (responsive?.sources ?? [])).contains(where: \.isStyledByClass)
    }
}
