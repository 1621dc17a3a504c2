import FetchCache
import FoundationEssentials
import ImageFormats
import Recipes
import Sites

/// The form of a ``SiteIndex`` in its file: JSON in one line, with an array for each value.
///
/// An image takes about 200 bytes. So names of members are left out, as are values at the end of an array
/// that are nil, and what follows from other values: hashes and extensions of file names, sizes that
/// are those of the source, and most of the digits of times. Equal indexes give equal bytes.
struct SiteIndexFile: Codable {
    /// The value of ``format``; another one is of another version.
    static let currentFormat = "imgbake site index 2"

    private var format = Self.currentFormat
    private var build: String
    /// The time that arrivals are counted from, in seconds since 1970.
    private var since: Int64
    /// The recipes that images name by their positions.
    private var recipes: [String]
    private var images: [ImageRow]

    init(_ index: SiteIndex) {
        build = index.build
        let since = index.images.flatMap { $0.urls.map(\.arrival) }.min() ?? 0
        let recipes = Set(index.images.flatMap { $0.files.compactMap(\.recipe) }).sorted()
        let places = Dictionary(
            recipes.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { $1 })
        images = index.images.map { ImageRow($0, since: since, recipes: places) }
        (self.since, self.recipes) = (since, recipes)
    }

    /// - Throws: ``SiteIndexError`` for an index of another version, without a look at its images, and
    ///   for one with too many of them.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let format = try? container.decode(String.self, forKey: .format) else {
            throw SiteIndexError(reason: "it is not an index of imgbake")
        }
        guard format == Self.currentFormat else {
            throw SiteIndexError(reason: "another version of imgbake has written it")
        }
        build = try container.decode(String.self, forKey: .build)
        since = try container.decode(Int64.self, forKey: .since)
        recipes = try container.decode([String].self, forKey: .recipes)
        var rows = try container.nestedUnkeyedContainer(forKey: .images)
        images = []
        while !rows.isAtEnd {
            images.append(try rows.decode(ImageRow.self))
            guard images.count <= SiteIndex.mostImages else {
                throw SiteIndexError(reason: "it has more than \(SiteIndex.mostImages) images")
            }
        }
    }

    /// The checked index.
    ///
    /// - Throws: ``SiteIndexError`` if no bake can have written it.
    func index() throws(SiteIndexError) -> SiteIndex {
        var index = SiteIndex(build: build)
        index.images.reserveCapacity(images.count)
        for row in images {
            let image = try row.image(since: since, recipes: recipes)
            guard image.isPossible else { throw .isDamaged }
            index.images.append(image)
        }
        return index
    }
}

/// An image: `[SOURCE, BYTES, HEADER, [URL, …], [FILE, …]]`.
private struct ImageRow: Codable {
    var source: ShortDigest
    var byteCount: Int
    var header: HeaderRow
    var urls: [LocationRow]
    var files: [FileRow]

    init(_ image: SiteIndex.Image, since: Int64, recipes: [String: Int]) {
        source = ShortDigest(image.source)
        byteCount = image.byteCount
        header = HeaderRow(header: image.header)
        urls = image.urls.map { LocationRow(location: $0, since: since) }
        files = image.files.map {
            FileRow($0, of: image.header, recipe: $0.recipe.flatMap { recipes[$0] })
        }
    }

    func image(since: Int64, recipes: [String]) throws(SiteIndexError) -> SiteIndex.Image {
        var image = SiteIndex.Image(
            source: source.digest, byteCount: byteCount, header: header.header)
        for row in urls { image.urls.append(try row.location(since: since)) }
        for row in files { image.files.append(try row.file(of: header.header, recipes)) }
        return image
    }

    init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        source = try row.decode(ShortDigest.self)
        byteCount = try row.decode(Int.self)
        header = try row.decode(HeaderRow.self)
        urls = try row.decode([LocationRow].self)
        files = try row.decode([FileRow].self)
    }

    func encode(to encoder: any Encoder) throws {
        var row = encoder.unkeyedContainer()
        try row.encode(source, byteCount, header, urls, files)
    }
}

/// A header: `[FORMAT, WIDTH, HEIGHT, FACTS, FRAMES?, SHOWN?, OBJECTION?, REMOVALS?]`.
private struct HeaderRow: Codable {
    /// It is not checked.
    var header: ImageHeader

    /// The facts that hold, as bits.
    private static let facts: [any WritableKeyPath<ImageHeader, Bool> & Sendable] = [
        \.hasAlpha, \.isReoriented, \.isStandardColour, \.isLossless, \.hasMetadata,
    ]

    init(header: ImageHeader) { self.header = header }

    init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        let format = try row.decode(ImageFormat.self)
        let (width, height) = (try row.decode(Int.self), try row.decode(Int.self))
        let facts = try row.decode(Int.self)
        header = ImageHeader(
            format: format, width: width, height: height,
            frameCount: try row.decodeIfPresent(Int.self) ?? 1,
            shownWidth: try row.decodeIfPresent(Int.self),
            objection: try row.decodeIfPresent(String.self),
            removals: try row.decodeIfPresent(String.self))
        for (bit, fact) in Self.facts.enumerated() {
            header[keyPath: fact] = facts & 1 << bit != 0
        }
    }

    func encode(to encoder: any Encoder) throws {
        let facts = Self.facts.enumerated().reduce(0) { sum, fact in
            header[keyPath: fact.element] ? sum | 1 << fact.offset : sum
        }
        var row = encoder.unkeyedContainer()
        try row.encode(
            header.format, header.width, header.height, facts,
            header.frameCount == 1 ? nil : header.frameCount, header.shownWidth, header.objection,
            header.removals)
    }
}

/// A URL: `[KEY, ARRIVAL, LIFETIME, ETAG?, PRIVATE?, MODIFIED?, VARY?, SELECTOR?]`, in seconds.
private struct LocationRow: Codable {
    /// Its ``SiteIndex/Location/arrival`` is the time since ``SiteIndexFile/since``, and its
    /// ``SiteIndex/Location/expiry`` that since the arrival.
    private var location: SiteIndex.Location

    init(location: SiteIndex.Location, since: Int64) {
        self.location = location
        self.location.arrival = location.arrival - since
        self.location.expiry = location.expiry - location.arrival
    }

    func location(since: Int64) throws(SiteIndexError) -> SiteIndex.Location {
        let (arrival, isTooLate) = location.arrival.addingReportingOverflow(since)
        let (expiry, isTooLong) = location.expiry.addingReportingOverflow(arrival)
        if isTooLate || isTooLong { throw .isDamaged }
        var location = location
        (location.arrival, location.expiry) = (arrival, expiry)
        return location
    }

    init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        location = SiteIndex.Location(
            key: try row.decode(String.self), arrival: try row.decode(Int64.self),
            expiry: try row.decode(Int64.self))
        location.etag = try row.decodeIfPresent(String.self)
        location.isPrivate = try row.decodeIfPresent(Int.self) != nil
        location.lastModified = try row.decodeIfPresent(String.self)
        location.vary = try row.decodeIfPresent(String.self)
        location.selector = try row.decodeIfPresent(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var row = encoder.unkeyedContainer()
        try row.encode(
            location.key, location.arrival, location.expiry, location.etag,
            location.isPrivate ? 1 : nil, location.lastModified, location.vary, location.selector)
    }
}

/// A file: `[RECIPE?, DIGEST, BYTES, FORMAT, STEM?, QUALITY?, WIDTH?, HEIGHT?, COLOUR?, PICTURE?]`.
///
/// Without a width or a height, it has that of its source.
private struct FileRow: Codable {
    private var recipe: Int?
    private var digest: ShortDigest
    private var byteCount: Int
    private var format: ImageFormat
    private var stem: String?
    private var quality: Int?
    private var width: Int?
    private var height: Int?
    private var colour: Int?
    private var bytes: Data?

    init(_ file: SiteIndex.File, of header: ImageHeader, recipe: Int?) {
        self.recipe = recipe
        digest = ShortDigest(file.digest)
        (byteCount, format, stem, quality) = (file.byteCount, file.format, file.stem, file.quality)
        width = file.width == header.width ? nil : file.width
        height = file.height == header.height ? nil : file.height
        (colour, bytes) = (file.colour, file.bytes.map { Data($0) })
    }

    func file(
        of header: ImageHeader, _ recipes: [String]
    ) throws(SiteIndexError) -> SiteIndex.File {
        if let recipe, !recipes.indices.contains(recipe) { throw .isDamaged }
        return SiteIndex.File(
            recipe: recipe.map { recipes[$0] }, digest: digest.digest, byteCount: byteCount,
            stem: stem, format: format, width: width ?? header.width,
            height: height ?? header.height, quality: quality, colour: colour,
            bytes: bytes.map { [UInt8]($0) })
    }

    init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        recipe = try row.decodeIfPresent(Int.self)
        digest = try row.decode(ShortDigest.self)
        byteCount = try row.decode(Int.self)
        format = try row.decode(ImageFormat.self)
        stem = try row.decodeIfPresent(String.self)
        quality = try row.decodeIfPresent(Int.self)
        width = try row.decodeIfPresent(Int.self)
        height = try row.decodeIfPresent(Int.self)
        colour = try row.decodeIfPresent(Int.self)
        bytes = try row.decodeIfPresent(Data.self)
    }

    func encode(to encoder: any Encoder) throws {
        var row = encoder.unkeyedContainer()
        try row.encode(
            recipe, digest, byteCount, format, stem, quality, width, height, colour, bytes)
    }
}

extension UnkeyedEncodingContainer {
    /// Encodes the values of a row; those at the end that are nil are left out.
    fileprivate mutating func encode(_ values: (any Encodable)?...) throws {
        let count = (values.lastIndex { $0 != nil } ?? -1) + 1
        for value in values.prefix(count) {
            if let value { try encode(value) } else { try encodeNil() }
        }
    }
}

/// A digest in 43 characters.
struct ShortDigest: Codable, Hashable, Sendable {
    let digest: BlobDigest

    init(_ digest: BlobDigest) { self.digest = digest }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let padded = text.replacing("-", with: "+").replacing("_", with: "/") + "="
        guard text.utf8.count == 43, let data = Data(base64Encoded: padded),
            let digest = BlobDigest(bytes: data)
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no digest"))
        }
        self.digest = digest
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(data.shortText)
    }

    var data: Data {
        let digits = Array(digest.hex.utf8).compactMap(hexDigit)
        return Data(stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}

extension Data {
    /// Base64 for URLs, without padding.
    var shortText: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
