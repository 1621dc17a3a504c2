import DocumentSyntax

/// The table of all attributes of HTML and inline SVG that name images or other files, or make claims
/// about images.
///
/// If several rows match an attribute of an element, the first one counts.
enum ReferenceRules {
    static let table = images + links + lazyLoading + requests

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
        ReferenceRule("src", on: Elements(.custom), .url, .byExtension),
        ReferenceRule("image", on: Elements(.custom), .url, .byExtension),
        ReferenceRule("srcset", on: Elements(.custom), .srcset, .byExtension),
        ReferenceRule("poster", on: Elements(.custom), .url, role: .poster, .byExtension),
        ReferenceRule("background", on: Elements(.withBackground), .url, role: .background),
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

    /// Attributes of lazy-loading libraries, galleries and WordPress plug-ins.
    private static let lazyLoading: [ReferenceRule] =
        ([
            "data-src", "data-original", "data-lazy-src", "data-ezsrc", "data-hi-res-src",
            "data-src-retina", "data-orig-file", "data-medium-file", "data-large-file",
            "data-asset-url", "data-source-standard", "data-actualsrc", "data-at2x", "data-cfsrc",
            "data-echo", "data-flickity-lazyload", "data-flickity-lazyload-src", "data-full",
            "data-fullsrc", "data-highres", "data-hires", "data-image-src", "data-image-url",
            "data-img", "data-img-src", "data-img-url", "data-large-image", "data-large_image",
            "data-lazyload", "data-poster", "data-retina", "data-rsrc", "data-thumb",
            "data-thumbnail", "data-zoom-image", "nitro-lazy-src",
        ] as [StaticString]).flatMap { lazy($0, elsewhere: .byExtension) }
        + (["data-lazy", "data-image", "original"] as [StaticString]).flatMap {
            lazy($0, onImages: .byExtensionOrHost, elsewhere: .byExtension)
        }
        + ([
            "data-bg", "data-background", "data-background-image", "data-background-src",
            "data-bg-image", "data-bg-src", "data-image-background", "data-parallax-image",
            "data-setbg",
        ] as [StaticString]).flatMap {
            lazy($0, role: .background, onImages: .likely, elsewhere: .likely)
        }
        + ([
            "data-srcset", "data-lazy-srcset", "data-ezsrcset", "data-bgset",
            "data-flickity-lazyload-srcset", "nitro-lazy-srcset",
        ] as [StaticString]).flatMap {
            lazySets($0, elsewhere: .byExtension)
        }

    /// Attributes that make a browser send a request that is not for an image.
    private static let requests: [ReferenceRule] = [
        request("src", on: Elements(.script), .script, if: .isProgram),
        request("href", on: Elements(.script), .script, if: .isProgram),
        request("xlink:href", on: Elements(.script), .script, if: .isProgram),
        request("src", on: Elements(.video, .audio, .source, .track), .media),
        request("src", on: Elements(.iframe, .frame, .embed), .frame),
        request("data", on: Elements(.object), .frame),
        request("href", on: Elements(.link), .other, syntax: .link),
        request("integrity", on: Elements(.link, .script), .style, syntax: .integrity),
        request("ping", on: Elements(.a, .area), .beacon),
    ]

    private static func request(
        _ attribute: StaticString, on elements: Elements, _ role: Reference.Role,
        syntax: ReferenceRule.Syntax = .url, if condition: ReferenceRule.Condition = []
    ) -> ReferenceRule {
        ReferenceRule(
            attribute, on: elements, syntax, role: role, if: condition.union(.readsRequests))
    }

    /// The rules for the attributes in ``ExtractionOptions/lazyAttributes``.
    static let named = lazy("*", elsewhere: .sure)
    static let namedSets = lazySets("*", elsewhere: .sure)

    private static func lazy(
        _ attribute: StaticString, role: Reference.Role = .content,
        onImages: ImageAttribute.Certainty = .sure, elsewhere: ImageAttribute.Certainty
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
        _ attribute: StaticString, elsewhere: ImageAttribute.Certainty
    ) -> [ReferenceRule] {
        [
            ReferenceRule(attribute, on: Elements(.img, .image, .source), .srcset, isLazy: true),
            ReferenceRule(attribute, on: plain, .srcset, elsewhere, isLazy: true),
        ]
    }

    /// The elements that do not use `data-src` and similar attributes for anything else.
    private static let plain = ReferenceRule.Elements.any.subtracting(
        Elements(
            .audio, .track, .frame, .iframe, .script, .video, .source, .embed, .object, .link, .meta
        )
    )

    private typealias Elements = ReferenceRule.Elements
}
