import FetchCache
import ImageFormats
import Pages
import Pictures
package import Recipes
import Records
import Reports
import Sites

/// Finds out which files of an image are made, and why they are as they are.
struct VariantExplainer {
    private typealias Variant = ImageExplanation.Variant

    private let source: ImageLocation
    private let bytes: LoadedImage
    private let header: ImageHeader
    private let store: VariantStore

    /// Nil if the header of the source is not known.
    init?(
        of source: ImageLocation, _ bytes: LoadedImage, _ maker: ImageMaker
    ) async throws {
        guard case .value(let header) = try await maker.headers.find(bytes) else { return nil }
        self.source = source
        self.bytes = bytes
        self.header = header
        store = maker.variants
    }

    /// The files for a request: the image itself, then the further ones, as ``ImagePipeline`` makes
    /// them.
    ///
    /// Widths and formats are not listed before the image itself is made.
    func variants(_ request: ImageRequest) async throws -> [ImageExplanation.Variant] {
        if !request.formats.isEmpty, header.isStill(for: request.options) {
            let reason =
                request.options.isFormatStated ? "its element says so" : "every browser shows it"
            let (image, further) = try await variants(
                request, request.options.besideOthers, because: reason)
            if image.file == nil || further.contains(where: \.isKept) {
                return [image.told] + further.map(\.told)
            }
        }
        let (image, further) = try await variants(
            request.inOneFormat, request.options, because: nil)
        return [image.told] + further.map(\.told)
    }

    /// A file of the image, which is perhaps not made yet, and what is told of it.
    private struct Explained {
        var file: VariantFile?
        var told: Variant
        /// Whether it is published, or might be when it is made.
        var isKept = true
    }

    private func variants(
        _ request: ImageRequest, _ options: VariantOptions, because reason: String?
    ) async throws -> (image: Explained, further: [Explained]) {
        let image = try await explained(options, .image, because: reason)
        guard let file = image.file else { return (image, []) }
        var further = FurtherFiles(for: request, of: header, beside: file)
        var all: [Explained] = []
        for group in further.groups {
            var members: [Explained] = []
            for options in group.options {
                members.append(
                    try await group.format == nil
                        ? explained(options, .srcset, because: nil)
                        : explained(options, .picture, because: "it is a source of the <picture>"))
            }
            for (index, verdict) in further.judge(members.map(\.file), of: group).enumerated() {
                guard let reason = verdict?.reasonAgainst else { continue }
                members[index].told.decisions.append("left out, because \(reason)")
                members[index].isKept = false
            }
            all = members + all
        }
        return (image, all)
    }

    /// The file for some options; its format has a reason, or the options say why.
    private func explained(
        _ options: VariantOptions, _ use: Variant.Use, because reason: String?
    ) async throws -> Explained {
        var variant = Variant(
            use: use, decisions: decisions(about: header, options, formatReason: reason))
        let made: VariantBlob? =
            switch planVariant(of: header, options: options) {
            case .make(let recipe): try await store.recall(bytes, header, recipe)
            case .passOn: VariantBlob(bytes, header)
            case .refuse: nil
            }
        guard let made else { return Explained(told: variant) }
        let file = VariantFile(made, of: source.key)
        variant.file = file.fileName
        variant.format = file.format.rawValue
        (variant.width, variant.height) = (file.width, file.height)
        variant.bytes = file.byteCount
        variant.quality = file.quality
        if case .level = options.quality ?? .auto, let quality = file.quality {
            variant.decisions.append("\(quality) is the number of this quality for this picture")
        }
        if made.digest == bytes.digest {
            variant.decisions.append("these are the source's own bytes")
        }
        return Explained(file: file, told: variant)
    }
}

extension FurtherFiles.Verdict {
    /// Why the file is left out; nil if it is kept.
    fileprivate var reasonAgainst: String? {
        switch self {
        case .isKept: nil
        case .anotherFormatIsSmaller: "another format is smaller"
        case .nextLargerIsAsGood: "the next larger file is as good"
        case .isUnlikeImage: "it has another format or ratio than the image needs"
        }
    }
}

/// The decisions about a variant, in words.
///
/// - Parameters:
///   - header: The facts about the source.
///   - options: The options of the variant.
///   - formatReason: Why it has its format; nil if the options say it.
/// - Returns: One clause for each decision.
package func decisions(
    about header: ImageHeader, _ options: VariantOptions, formatReason: String? = nil
) -> [String] {
    switch planVariant(of: header, options: options) {
    case .passOn: ["published as it is, because the format is not decoded"]
    case .refuse(let reason): ["refused: \(reason)"]
    case .make(let recipe):
        [
            "format \(recipe.encoding.format.rawValue), because "
                + (formatReason ?? reasonOfFormat(recipe, header, options)),
            recipe.crop.map {
                "cropped to \($0.width)×\($0.height) pixels, around what draws the eye"
            },
            width(recipe, header, options), quality(recipe, options), alternative(recipe),
        ].compactMap(\.self)
    }
}

private func reasonOfFormat(
    _ recipe: Recipe, _ header: ImageHeader, _ options: VariantOptions
) -> String {
    if options.isForReaders {
        return "feed readers and social networks show only JPEG, PNG and GIF"
    }
    return options.format != .keep && header.isAnimated && recipe.frames == nil
        ? "it is animated, and format is \(options.format.rawValue)"
        : "format is \(options.format.rawValue)"
}

private func width(
    _ recipe: Recipe, _ header: ImageHeader, _ options: VariantOptions
) -> String? {
    let own = recipe.crop?.width ?? header.width
    if let width = recipe.width {
        if options.isOneOfSeveral { return "scaled from \(own) to \(width) pixels" }
        return "scaled from \(own) to \(width) pixels, because max-width is "
            + "\(options.maximumWidth ?? width)"
    }
    if options.isOneOfSeveral { return nil }
    guard let most = options.maximumWidth, header.width > 0 else { return "not scaled" }
    return own <= most
        ? "not scaled, because \(own) pixels are not more than max-width \(most)"
        : "not scaled, because the image must keep its size"
}

private func quality(_ recipe: Recipe, _ options: VariantOptions) -> String? {
    guard let quality = recipe.encoding.quality else { return "without loss" }
    let origin = options.quality == nil ? "the default" : "as it was set"
    return recipe.keepsGraphics
        ? "quality \(quality), \(origin), for a photograph; a graphic is encoded without loss"
        : "quality \(quality), \(origin)"
}

private func alternative(_ recipe: Recipe) -> String? {
    switch recipe.alternative {
    case .none: nil
    case .source: "the source's own bytes, if they are smaller"
    case .encoding(let other):
        "\(other.format.rawValue)\(other.quality == nil ? " without loss" : ""), if that is smaller"
    case .encodingOrSource(let other):
        "\(other.format.rawValue)\(other.quality == nil ? " without loss" : "") or the source's own "
            + "bytes, if one is smaller"
    case .onlySource: "the source's own bytes, if their metadata can be removed"
    }
}

extension ResponsiveImage {
    /// The decisions about an element, in words: one clause for each.
    var decisions: [String] {
        let widths = wantedWidths.map(String.init).joined(separator: ", ")
        var clauses = [layoutClause]
        if !widths.isEmpty { clauses.append("widths \(widths), where the image is wider") }
        if let measured, !isMeasured { clauses.append("measured width \(measured.text)") }
        if let unmeasuredPlace {
            clauses.append("not measured: the file of sizes has no place '\(unmeasuredPlace)'")
        }
        if !formats.isEmpty {
            let names = formats.map(\.rawValue).joined(separator: ", ")
            clauses.append("<picture> with a source in \(names)")
        }
        if placeholder != .none { clauses.append("placeholder \(placeholder.rawValue)") }
        if loadsLazily { clauses.append("loads lazily") }
        return clauses.filter { !$0.isEmpty }.map(printable) + missing.map(\.clause)
    }

    private var isMeasured: Bool {
        if case .measured = layout { true } else { false }
    }

    /// How its width on the page is known.
    private var layoutClause: String {
        switch layout {
        case .unknown: ""
        case .stated(let sizes, isWritten: true, _): "sizes \(sizes.text), by its attribute"
        case .stated(let sizes, isWritten: false, _): "sizes \(sizes.text), by data-imgbake-sizes"
        case .attribute(let width, isFluid: false): "\(width) pixels wide, by its attribute"
        case .attribute(let width, isFluid: true):
            "\(width) pixels wide, by its attribute; \(sizes.text) if that is less"
        case .natural: "as wide as the image; \(sizes.text) if that is less"
        case .measured(let widths, _): "sizes \(widths.text), as measured"
        }
    }
}

extension KeptReason {
    /// The reason, said of one image.
    fileprivate var clause: String {
        switch code {
        case .oneFile: "one file, as an image \(cause.text)"
        case .noPicture: "one format, as an image \(cause.text)"
        default: "no placeholder, as an image \(cause.text)"
        }
    }
}
