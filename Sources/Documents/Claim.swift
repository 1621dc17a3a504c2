extension Reference {
    /// A part of a document that describes an image, such as a `type` attribute.
    ///
    /// It must be updated when the image changes.
    package struct Claim: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// A media type: `image/png`.
            case mediaType
            /// The size of the file in bytes.
            case byteCount
            /// The width in pixels.
            case width
            /// The height in pixels.
            case height
            /// The descriptors of a `srcset` candidate with the whitespace before them: ` 800w` or
            /// ` 1.5x`; empty if the candidate has none.
            case descriptors
        }

        package var kind: Kind
        /// The range of the claim in the document.
        ///
        /// Several references can share one claim.
        package var range: Range<Int>
        package var text: String

        package init(kind: Kind, range: Range<Int>, text: String) {
            self.kind = kind
            self.range = range
            self.text = text
        }
    }

    /// Properties of an image that the document states in a place that cannot be rewritten.
    package struct FixedProperties: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let format = FixedProperties(rawValue: 1)
        /// The width and height in pixels.
        package static let size = FixedProperties(rawValue: 2)
    }
}

extension Reference.Claim.Kind {
    /// The properties that must not change if a claim of this kind cannot be rewritten.
    package var fixedProperties: Reference.FixedProperties {
        switch self {
        case .mediaType: .format
        case .width, .height, .descriptors: .size
        case .byteCount: []
        }
    }
}
