import FetchCache
import Recipes
import Sites

extension ImageMaker {
    /// The header of a source.
    ///
    /// - Throws: As ``image(of:_:)``.
    func header(of source: LoadedImage) async throws -> ImageHeader {
        if case .header(let header) = try await headers.find(source) { return header }
        try await variants.verify(source)
        let header = try await jobs.perform([], on: source).header
        try await headers.remember(header, of: source)
        return header
    }

    /// Variants of a source with a known header; those that the cache lacks are made in one job.
    ///
    /// Each is stored by its own recipe, as if it had been made alone.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - header: Its header.
    ///   - options: The options of the variants, at most ``Job/mostVariants``.
    /// - Returns: A variant for each of the options; nil for one that cannot be made. All are nil if
    ///   the plan of one is not to make a variant.
    /// - Throws: As ``image(of:_:)``.
    func images(
        of source: LoadedImage, _ header: ImageHeader, _ options: [VariantOptions]
    ) async throws -> [VariantBlob?] {
        let recipes = options.compactMap { options -> Recipe? in
            if case .make(let recipe) = planVariant(of: header, options: options) {
                recipe
            } else {
                nil
            }
        }
        guard recipes.count == options.count else { return options.map { _ in nil } }
        let names = recipes.map(ResultKeys.variant).joined(separator: " ")
        let key = "\(source.digest.hex) \(names)"
        return try await shared(several, key) {
            try await make(source, header, Array(zip(options, recipes)))
        }
    }

    private func make(
        _ source: LoadedImage, _ header: ImageHeader,
        _ wanted: [(options: VariantOptions, recipe: Recipe)]
    ) async throws -> [VariantBlob?] {
        var images: [VariantBlob?] = []
        for (_, recipe) in wanted {
            images.append(try await variants.recall(source, header, recipe))
        }
        var missing: [Int] = []
        for index in images.indices where images[index] == nil {
            let failure = try await jobs.knownFailure(of: wanted[index].options, from: source)
            if failure == nil { missing.append(index) }
        }
        if missing.isEmpty { return images }
        try await variants.verify(source)
        let files = try missing.map { _ in try variants.output(for: source) }
        let answer = try await jobs.perform(
            missing.map { wanted[$0].options }, on: source, outputs: files.map(\.path))
        for (index, (file, outcome)) in zip(missing, zip(files, answer.variants)) {
            guard case .made(let made) = outcome, made.recipe == wanted[index].recipe else {
                continue
            }
            if !made.recipe.isPlaceholder { tally.add { $0.transformed += 1 } }
            images[index] = try await variants.store(
                made.variant, at: file, of: source, made.recipe)
        }
        return images
    }
}
