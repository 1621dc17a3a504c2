/// All attributes of HTML, and of SVG in it, that name images or say something of one.
///
/// Of several rows that fit an attribute of an element, the first counts.
enum ReferenceRules {
    static let table = images + links + lazyLoading

    private static let images: [ReferenceRule] = [
        ReferenceRule("src", on: Elements(.img, .image), .url),
        ReferenceRule("src", on: Elements(.source), .url, if: .isInPicture),
        ReferenceRule("src", on: Elements(.input), .url, if: .isImageButton, words: ["image"]),
        ReferenceRule("src", on: Elements(.embed), .file, if: .typeMayBeImage),
        ReferenceRule("data", on: Elements(.object), .file, if: .typeMayBeImage),
        ReferenceRule("srcset", on: Elements(.img, .source), .srcset),
        ReferenceRule("href", on: Elements(.image, .feImage), .url),
        ReferenceRule("xlink:href", on: Elements(.image, .feImage), .url),
        ReferenceRule("poster", on: Elements(.video), .url, role: .poster, words: ["poster"]),
        ReferenceRule("background", on: Elements(.backed), .url, role: .background),
        ReferenceRule("style", on: .any, .style, role: .background),
        ReferenceRule("srcdoc", on: Elements(.iframe), .page, if: .isShallow, words: ["srcdoc"]),
        ReferenceRule("type", on: Elements(.source), .mediaType, if: [.typeIsImage, .isInPicture]),
        ReferenceRule("type", on: Elements(.object, .embed), .mediaType, if: .typeIsImage),
        ReferenceRule("data-imgbake*", on: .any, .control),
    ]

    private static let links: [ReferenceRule] = [
        ReferenceRule("href", on: Elements(.a, .area), .url, if: .readsLinks, .byExtension),
        ReferenceRule("xlink:href", on: Elements(.a, .area), .url, if: .readsLinks, .byExtension),
        ReferenceRule("href", on: Elements(.link), .url, role: .icon, if: .isIcon, words: ["icon"]),
        ReferenceRule(
            "href", on: Elements(.link), .url, role: .preload, if: .isPreload, words: ["image"]),
        ReferenceRule(
            "href", on: Elements(.link), .url, role: .social, if: .isSocial,
            words: ["image", "thumbnail"]),
        ReferenceRule(
            "imagesrcset", on: Elements(.link), .srcset, role: .preload, if: .isPreload,
            words: ["image"]),
        ReferenceRule(
            "type", on: Elements(.link), .mediaType, role: .icon, if: [.typeIsImage, .isIcon],
            words: ["icon"]),
        ReferenceRule(
            "type", on: Elements(.link), .mediaType, role: .preload,
            if: [.typeIsImage, .isPreload],
            words: ["image"]),
        ReferenceRule(
            "content", on: Elements(.meta), .meta, role: .social,
            words: ["image", "logo", "thumbnail"]),
    ]

    /// As libraries for lazy loading, galleries and plug-ins of WordPress have them.
    private static let lazyLoading: [ReferenceRule] =
        ([
            "data-src", "data-original", "data-lazy-src", "data-ezsrc", "data-hi-res-src",
            "data-src-retina", "data-orig-file", "data-medium-file", "data-large-file",
            "data-asset-url", "data-source-standard",
        ] as [StaticString]).flatMap { lazy($0, elsewhere: .byExtension) }
        + (["data-lazy", "data-image", "original"] as [StaticString]).flatMap {
            lazy($0, onImages: .byExtensionOrHost, elsewhere: .byExtension)
        }
        + (["data-bg", "data-background", "data-background-image"] as [StaticString]).flatMap {
            lazy($0, role: .background, onImages: .likely, elsewhere: .likely)
        }
        + (["data-srcset", "data-lazy-srcset", "data-ezsrcset"] as [StaticString]).flatMap {
            lazySets($0, elsewhere: .byExtension)
        }

    /// The rules of an attribute that the options name.
    static let named = lazy("*", elsewhere: .sure)
    static let namedSets = lazySets("*", elsewhere: .sure)

    private static func lazy(
        _ attribute: StaticString, role: Reference.Role = .content,
        onImages: HTMLPlace.Certainty = .sure, elsewhere: HTMLPlace.Certainty
    ) -> [ReferenceRule] {
        [
            ReferenceRule(
                attribute, on: Elements(.img, .image), .lazy, role: role, onImages, isLazy: true),
            ReferenceRule(
                attribute, on: Elements(.source), .lazy, role: role, if: .isInPicture, onImages,
                isLazy: true),
            ReferenceRule(attribute, on: plain, .lazy, role: role, elsewhere, isLazy: true),
        ]
    }

    private static func lazySets(
        _ attribute: StaticString, elsewhere: HTMLPlace.Certainty
    ) -> [ReferenceRule] {
        [
            ReferenceRule(attribute, on: Elements(.img, .image, .source), .srcset, isLazy: true),
            ReferenceRule(attribute, on: plain, .srcset, elsewhere, isLazy: true),
        ]
    }

    /// Elements that have no other use for `data-src` and the like.
    private static let plain = ReferenceRule.Elements.any.subtracting(
        Elements(.framing, .iframe, .script, .video, .source, .embed, .object, .link, .meta))

    private typealias Elements = ReferenceRule.Elements
}
