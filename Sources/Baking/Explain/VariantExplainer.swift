import FetchCache
import ImageFormats
import Pictures
import Recipes
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
        of source: ImageLocation, _ bytes: LoadedImage, _ options: BakeOptions,
        _ cache: FetchManager, _ pool: WorkerPool
    ) async throws {
        let programs = ProgramIdentity(options, cache, pool)
        let headers = HeaderStore(cache: cache, programs: programs)
        guard case .header(let header) = try await headers.find(bytes) else { return nil }
        self.source = source
        self.bytes = bytes
        self.header = header
        store = VariantStore(cache: cache, programs: programs)
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
