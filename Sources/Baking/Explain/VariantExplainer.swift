import FetchCache
import ImageFormats
import Recipes

/// Finds out which files of an image are made, and why they are as they are.
struct VariantExplainer {
    private typealias Variant = ImageExplanation.Variant

    private let source: ImageSource
    private let bytes: SourceImage
    private let header: ImageHeader
    private let store: VariantStore

    /// Nil if the header of the source is not known.
    init?(
        of source: ImageSource, _ bytes: SourceImage, _ options: BakeOptions, _ cache: FetchManager,
        _ pool: WorkerPool
    ) async throws {
        let programs = ProgramIdentity(
            store: EncoderStore(
                worker: options.worker, cache: cache,
                allowsWeakSandbox: options.allowsWeakSandbox), pool: pool)
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
        let isPicture = !request.formats.isEmpty
        let image = try await variant(
            isPicture ? request.options.forAllBrowsers : request.options, .image,
            because: isPicture ? "every browser shows it" : nil)
        guard header.isStill(for: request.options), let width = image.width,
            let height = image.height, var limit = image.bytes
        else { return [image] }
        let widths = SmallerWidths.planned(request.widths, below: width, height: height)
        if !isPicture {
            return [image]
                + (try await smaller(
                    widths.map { request.options.limited(to: $0) }, .srcset, because: nil,
                    below: limit))
        }
        var result: [Variant] = []
        for format in request.formats.reversed() where format.rawValue != image.format {
            if header.hasAlpha, !format.hasAlphaChannel { continue }
            let options = request.options.inPicture(format)
            let reason = "it is a source of the <picture>"
            var largest = try await variant(options.ofSeveral, .picture, because: reason)
            let count = largest.bytes ?? 0
            guard largest.bytes == nil || largest.format == format.rawValue, count < limit else {
                largest.decisions.append("left out, because another format is smaller")
                result.insert(largest, at: 0)
                continue
            }
            if largest.bytes != nil { limit = count }
            result =
                try await smaller(
                    widths.map { options.limited(to: $0) }, .picture, because: reason, below: limit)
                + [largest] + result
        }
        return [image] + result
    }

    /// Files in ascending order of their widths.
    private func smaller(
        _ options: [VariantOptions], _ use: Variant.Use, because reason: String?, below limit: Int
    ) async throws -> [Variant] {
        var limit = limit
        var result: [Variant] = []
        for one in options.reversed() {
            var variant = try await variant(one.ofSeveral, use, because: reason)
            if let count = variant.bytes {
                if SmallerWidths.isWorthHaving(count, below: limit) {
                    limit = count
                } else {
                    variant.decisions.append("left out, because the next larger file is as good")
                }
            }
            result.insert(variant, at: 0)
        }
        return result
    }

    /// The file for some options; its format has a reason, or the options say why.
    private func variant(
        _ options: VariantOptions, _ use: Variant.Use, because reason: String?
    ) async throws -> Variant {
        var variant = Variant(
            use: use, decisions: decisions(about: header, options, formatReason: reason))
        let made: StoredImage? =
            switch planVariant(of: header, options: options) {
            case .make(let recipe): try await store.recall(bytes, header, recipe)
            case .passOn: StoredImage(bytes, header)
            case .refuse: nil
            }
        guard let made else { return variant }
        variant.file = imageFileName(url: source.key, digest: made.digest.hex, format: made.format)
        variant.format = made.format.rawValue
        (variant.width, variant.height) = (made.width, made.height)
        variant.bytes = made.byteCount
        variant.quality = made.quality
        if case .score = options.quality, let quality = made.quality {
            variant.decisions.append("\(quality) is the number that reaches this quality")
        }
        if made.digest == bytes.digest {
            variant.decisions.append("these are the source's own bytes")
        }
        return variant
    }
}
