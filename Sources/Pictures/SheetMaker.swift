package import Documents
import FetchCache
import Files
import FoundationEssentials
import Hashing
import ImageFormats
import Locks
package import Recipes
import Reports
package import Sites

/// The options for the files that a style sheet names.
package struct StyleOptions: Sendable {
    /// The options for images.
    package var variants = VariantOptions()
    /// The URLs that are made local.
    package var urls = URLFilter()
    /// Learns what the sheets do to images; nil if that does not matter.
    package var sizes: SiteStyles?

    package init() {}
}

/// Makes style sheets of other hosts local, with the sheets, fonts and images that they name.
///
/// A relative URL starts from the URL of the sheet after redirects. What cannot be made local stays on
/// its host, by its full URL. A sheet is made anew in each bake, because what it names may have
/// changed.
struct SheetMaker: Sendable {
    /// The size of the largest sheet in bytes.
    private static let longest = 8 << 20
    /// The number of sheets that import each other in a row.
    private static let deepest = 8
    /// The number of files that a sheet and those that it imports may name.
    private static let mostParts = 4_096

    let shared: SharedImages
    /// The number of files that may still be named.
    private let room = Locked(mostParts)
    private var pipeline: ImagePipeline { shared.pipeline }

    /// A sheet, and the first problem of a file that stays on its host.
    private typealias Sheet = (image: BakedImage, source: LoadedImage, problem: Problem?)

    func outcome(for request: ImageRequest, in flight: Flight?) async -> ImageOutcome {
        let url = request.source.key
        pipeline.tally.count(url)
        do {
            let sheet = try await sheet(request, below: [], flight)
            pipeline.count(sheet.source, sheet.image)
            return .baked(sheet.image, warning: sheet.source.warning ?? sheet.problem)
        } catch {
            guard let problem = Problem(ofImage: error) else {
                pipeline.tally.uncount(url)
                return .stopped
            }
            pipeline.tally.count(url, as: \Counts.failed)
            return .failed(problem)
        }
    }

    /// Makes a sheet and publishes it.
    ///
    /// - Parameters:
    ///   - request: The sheet.
    ///   - importers: The sheets that import it, each by the next one.
    ///   - flight: The work that needs it.
    /// - Returns: The sheet, its source, and the first problem of a file that it names.
    /// - Throws: ``Problem``; ``FetchError``; ``FileError``; `CancellationError`.
    private func sheet(
        _ request: ImageRequest, below importers: [ImageLocation], _ flight: Flight?
    ) async throws -> Sheet {
        let source = try await pipeline.loader.load(request.source, for: flight, as: .style)
        let text = try text(of: source)
        let extraction = extract(text, kind: .css, options: .ofSheet)
        let hasRoom = room.withLock { room in
            room -= extraction.references.count
            return room >= 0
        }
        guard hasRoom else {
            throw Problem(
                .notStyleSheet,
                "it and those that it imports name more than \(Self.mostParts) files")
        }
        let base = source.facts?.finalURL ?? request.source.key
        shared.styles.sizes?.learn(request.source.key, from: base, text)
        let resolver = URLResolver(document: "", baseHref: base)
        let above = importers + [request.source]
        let targets = extraction.references.map { target(at: $0, resolver, below: above) }
        let outcomes = try await outcomes(of: targets.compactMap(\.request), below: above, flight)
        try Task.checkCancellation()
        var parts: [BakedImage] = []
        var problem: Problem?
        var replacements: [Replacement] = []
        var hosts: Set<String> = []
        for (reference, target) in zip(extraction.references, targets) {
            guard var url = target.url else { continue }
            switch target.request.flatMap({ outcomes[$0] }) {
            case .baked(let image, let warning):
                parts += [image] + image.parts
                hosts.formUnion(image.sheet?.remoteHosts ?? [])
                url = image.fileName
                problem = problem ?? warning
            case .failed(let failure):
                hosts.insert(host(of: url))
                problem = problem ?? failure.ofPart(url)
            case .stopped: throw CancellationError()
            case nil: hosts.insert(host(of: url))
            }
            url += ReferenceText(reference.url).fragment
            replacements.append(Replacement(reference: reference, url: url))
        }
        let image = try await publish(
            try rewrite(text, extraction: extraction, replacements: replacements).bytes, request,
            of: source, naming: parts, remoteHosts: hosts)
        return (image, source, problem)
    }

    /// The URLs of the files that a sheet names itself.
    func names(in request: ImageRequest) async throws -> [String] {
        let source = try await pipeline.loader.load(request.source, as: .style)
        let resolver = URLResolver(
            document: "", baseHref: source.facts?.finalURL ?? request.source.key)
        let extraction = extract(try text(of: source), kind: .css, options: .ofSheet)
        return extraction.references.compactMap { target(at: $0, resolver, below: []).url }
    }

    /// What to write at a reference of a sheet: the full URL, unless the file of a request is there;
    /// nothing if what is written stays.
    private func target(
        at reference: Reference, _ resolver: URLResolver, below importers: [ImageLocation]
    ) -> (url: String?, request: ImageRequest?) {
        guard case .remote(let url) = resolver.resolve(reference.url) else { return (nil, nil) }
        let source = ImageLocation.remote(url)
        // Browsers ignore an import in a circle too.
        guard shared.styles.urls.takes(url), !importers.contains(source),
            importers.count < Self.deepest || reference.role != .style
        else { return (url, nil) }
        return (url, shared.styles.request(for: source, at: reference))
    }

    private func outcomes(
        of requests: [ImageRequest], below importers: [ImageLocation], _ flight: Flight?
    ) async throws -> [ImageRequest: ImageOutcome] {
        try await withThrowingTaskGroup(of: (ImageRequest, ImageOutcome).self) { group in
            for request in Set(requests) {
                group.addTask {
                    guard request.kind == .style else {
                        let outcome = await shared.outcome(for: request, remembered: nil, .normal)
                        return (request, outcome)
                    }
                    // Two sheets that import each other would wait for each other.
                    do {
                        let sheet = try await sheet(request, below: importers, flight)
                        return (request, .baked(sheet.image, warning: sheet.problem))
                    } catch {
                        return (request, Problem(ofImage: error).map { .failed($0) } ?? .stopped)
                    }
                }
            }
            var outcomes: [ImageRequest: ImageOutcome] = [:]
            for try await (request, outcome) in group { outcomes[request] = outcome }
            return outcomes
        }
    }

    /// The text of a sheet as browsers read it: other hosts must say that it is one (HTML, "Link type
    /// stylesheet").
    ///
    /// - Throws: ``Problem`` if it is none; ``FileError``.
    private func text(of source: LoadedImage) throws -> [UInt8] {
        let type = source.facts?.mediaType.rawValue ?? "not stated"
        guard type.lowercased().hasPrefix("text/css") else {
            throw Problem(.notStyleSheet, "its type is \(printable(type)) and not text/css")
        }
        let text = try readFile(source.path, limit: Self.longest, ofAnyKind: true).bytes
        guard String(validating: text, as: UTF8.self) != nil, !text.contains(0),
            text.first(where: { $0 > 0x20 }) != UInt8(ascii: "<")
        else { throw Problem(.notStyleSheet, "its bytes are no text of CSS in UTF-8") }
        return text
    }

    private func publish(
        _ text: [UInt8], _ request: ImageRequest, of source: LoadedImage,
        naming parts: [BakedImage],
        remoteHosts: Set<String>
    ) async throws -> BakedImage {
        let path = try pipeline.loader.cache.temporaryFile().string
        defer { removeFile(path) }
        try OpenFile(creating: path, mode: 0o600).write(text)
        let stored = VariantBlob(
            path: path, digest: BlobDigest(hashing: text), byteCount: text.count, format: .css,
            width: 0, height: 0)
        var image = BakedImage(request, of: source, stored)
        image.isNoStore = source.isNoStore || parts.contains(where: \.isNoStore)
        image.sheet = BakedImage.Sheet(
            parts: Set(parts).sorted { ($0.url, $0.fileName) < ($1.url, $1.fileName) },
            remoteHosts: remoteHosts.sorted(),
            integrity: "sha384-" + Data(HashFunction.sha384.hash(text)).base64EncodedString())
        try await pipeline.publish([(image.fileName, stored)], of: image)
        return image
    }
}

extension SharedImages {
    /// The URLs of the files that a style sheet names, if it can be loaded.
    package func names(inSheet request: ImageRequest) async -> [String] {
        (try? await SheetMaker(shared: self).names(in: request)) ?? []
    }

    /// Whether the source of a file has one of the hashes that an `integrity` attribute gives,
    /// or the attribute gives none that browsers know (Subresource Integrity, section 3.3).
    package func isUnforged(_ file: BakedImage, by integrity: String) async -> Bool {
        let hashes = integrity.split(whereSeparator: \.isWhitespace).map {
            $0.prefix { $0 != "?" }.split(separator: "-", maxSplits: 1).map(String.init)
        }.filter { $0.count == 2 }
        guard
            let strongest = [HashFunction.sha512, .sha384, .sha256].first(where: { function in
                hashes.contains { $0[0] == function.rawValue }
            })
        else { return true }
        let path = try? pipeline.loader.cache.blob(
            file.sourceDigest, byteCount: file.sourceByteCount, for: file.url)
        guard let path, let bytes = try? readFile(path.string, ofAnyKind: true).bytes else {
            return false
        }
        let text = Data(strongest.hash(bytes)).base64EncodedString()
        return hashes.contains { $0 == [strongest.rawValue, text] }
    }
}

extension StyleOptions {
    /// The request for the file at a reference of a document or of a sheet, by its role.
    package func request(for source: ImageLocation, at reference: Reference) -> ImageRequest {
        if let kind = FileKind(rawValue: reference.role.rawValue) {
            return ImageRequest(source: source, options: VariantOptions(), kind: kind)
        }
        return ImageRequest(
            source: source, options: variants.suited(to: reference.role).keeping(reference.fixed))
    }
}

extension ExtractionOptions {
    /// Those for a style sheet of another host.
    fileprivate static var ofSheet: ExtractionOptions {
        var options = ExtractionOptions()
        options.readsRequests = true
        options.bakedRoles = [.style, .font]
        return options
    }
}

extension Problem {
    /// The problem of a file that a style sheet names.
    fileprivate func ofPart(_ url: String) -> Problem {
        Problem(code, "not all that it names: \(printable(url)): \(reason)")
    }
}
