import Documents
import ImageFormats
import Pictures
import Recipes
import Sites

/// Decides how to treat the claims of a document's references once their images are ready.
///
/// Pure, so that it can be tested without an image.
struct ClaimPlan {
    /// All references of the document, in its order.
    let references: References
    /// The images of the references that are rewritten, by the ranges of the references.
    let images: [Range<Int>: BakedImage]
    /// The candidates of each `srcset` with descriptors that can be rewritten.
    private let sourceSets: [[Reference]]
    /// The descriptors of candidates whose `srcset` has other candidates.
    private let compared: Set<Range<Int>>

    init(_ references: References, images: [Range<Int>: BakedImage]) {
        self.references = references
        self.images = images
        sourceSets = references.reduce(into: []) { sets, reference in
            guard reference.descriptors != nil else { return }
            if reference.isRemovable, !sets.isEmpty {
                sets[sets.count - 1].append(reference)
            } else {
                sets.append([reference])
            }
        }
        let several = sourceSets.filter { $0.count > 1 }.joined()
        compared = Set(several.compactMap { $0.descriptors?.range })
    }

    /// The properties that must not change because a claim cannot be updated, by the ranges of the
    /// references.
    var restrictions: [Range<Int>: Reference.FixedProperties] {
        var result: [Range<Int>: Reference.FixedProperties] = [:]
        for (claim, owners) in sharedClaims {
            for owner in owners where !canRewrite(claim, of: owners) {
                guard let image = images[owner.range], image.changes(claim.kind) else { continue }
                result[owner.range, default: []].formUnion(claim.kind.fixedProperties)
            }
        }
        for candidate in densityBases + misstated {
            result[candidate.range, default: []].formUnion(.size)
        }
        return result
    }

    /// The candidates with the density 1 whose `srcset` would no longer have one.
    ///
    /// The browser then adds the `src` of the `img` with this density (HTML, "Updating the source
    /// set"), and may show it in another size than before.
    private var densityBases: [Reference] {
        sourceSets.compactMap { candidates in
            guard case .srcset("img", _)? = candidates.first?.kind,
                let base = candidates.first(where: { density(of: $0, isNew: false) == 1 }),
                !candidates.contains(where: { density(of: $0, isNew: true) == 1 })
            else { return nil }
            return base
        }
    }

    /// The candidates whose width is not the one that their descriptor states, and that would be
    /// scaled.
    ///
    /// A server that ignores the width in a URL gives one image for all candidates. Scaled
    /// descriptors would make browsers choose another one.
    var misstated: [Reference] {
        sourceSets.joined().filter { candidate in
            guard let image = images[candidate.range], image.changes(.descriptors),
                let text = candidate.descriptors?.text.split(whereSeparator: \.isWhitespace).first,
                text.last == "w" || text.last == "W", let width = Int(text.dropLast())
            else { return false }
            // A width may be rounded.
            return abs(width - image.original.width) > max(2, image.original.width / 50)
        }
    }

    /// The density of a candidate before or after the bake; nil if it has other descriptors.
    private func density(of candidate: Reference, isNew: Bool) -> Double? {
        guard let claim = candidate.descriptors else { return nil }
        let image = isNew ? images[candidate.range] : nil
        let words = normalized(image.flatMap { text(of: claim, $0) } ?? claim.text)
        return words.hasSuffix("x") ? Double(words.dropLast()) : nil
    }

    /// The new texts for the claims of a reference.
    func texts(for reference: Reference) -> [Reference.Claim.Kind: String] {
        guard let image = images[reference.range] else { return [:] }
        var texts: [Reference.Claim.Kind: String] = [:]
        for claim in reference.claims { texts[claim.kind] = text(of: claim, image) }
        return texts
    }

    /// The candidates to remove from their `srcset`.
    ///
    /// Their new descriptors equal those of a candidate before them, and their old ones did not.
    /// Browsers ignore such candidates.
    var removals: Set<Range<Int>> {
        var result: Set<Range<Int>> = []
        for candidates in sourceSets {
            /// The old descriptors of the candidates, by the new ones.
            var seen: [String: String] = [:]
            for reference in candidates {
                guard let claim = reference.descriptors else { continue }
                let old = normalized(claim.text)
                let new = images[reference.range].map { text(of: claim, $0) ?? claim.text }
                let key = new.map(normalized) ?? old
                guard let first = seen[key] else {
                    seen[key] = old
                    continue
                }
                if first != old, reference.isRemovable, new != nil {
                    result.insert(reference.range)
                }
            }
        }
        return result
    }

    private func normalized(_ descriptors: String) -> String {
        let words = descriptors.lowercased().split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? "1x" : words.joined(separator: " ")
    }

    /// The claims, each with the references that share it.
    private var sharedClaims: [Reference.Claim: [Reference]] {
        references.reduce(into: [:]) { owners, reference in
            for claim in reference.claims { owners[claim, default: []].append(reference) }
        }
    }

    /// Whether one new text is correct for all references that share a claim.
    ///
    /// A media type that is wrong for the original image is not rewritten, so the image keeps its
    /// format.
    private func canRewrite(_ claim: Reference.Claim, of owners: [Reference]) -> Bool {
        let owned = owners.compactMap { images[$0.range] }
        guard owned.count == owners.count else { return false }
        switch claim.kind {
        case .mediaType:
            return Set(owned.map(\.format)).count == 1
                && owned.allSatisfy { $0.original.format.isMediaType(claim.text) }
        case .width, .height, .descriptors:
            let texts = owned.map { text(of: claim, $0) }
            return texts.allSatisfy { $0 != nil && $0 == texts[0] }
        case .byteCount, .integrity: return true
        }
    }

    private func text(of claim: Reference.Claim, _ image: BakedImage) -> String? {
        let scaling = ImageScaling(image)
        switch claim.kind {
        case .mediaType:
            return image.format == image.original.format ? claim.text : image.format.mediaType
        case .byteCount: return String(image.byteCount)
        case .integrity: return image.sheet?.integrity
        case .width: return scaling.isNone ? claim.text : scaling.width(claim.text)
        case .height: return scaling.isNone ? claim.text : scaling.height(claim.text)
        case .descriptors:
            if scaling.isNone { return claim.text }
            return scaling.descriptors(
                claim.text, needsDensity: compared.contains(claim.range))
        }
    }
}

extension Reference {
    fileprivate var descriptors: Claim? { claims.first { $0.kind == .descriptors } }
}

extension BakedImage {
    /// Whether a claim of this kind must change.
    fileprivate func changes(_ claim: Reference.Claim.Kind) -> Bool {
        switch claim {
        case .mediaType: format != original.format
        case .width, .height, .descriptors: !ImageScaling(self).isNone
        case .byteCount, .integrity: false
        }
    }
}

/// Writes the URL of a baked image in the form that each place of a document needs.
struct ReferenceWriter {
    /// The page that relative paths start from; nil if no relative path can name a file.
    ///
    /// With a layout, it is the page of the built site.
    let page: String?
    let address: SiteAddress?
    /// The image folder, relative to the site.
    let imageDirectory: String
    /// The URL of that folder, if the user gave it.
    var publicPath: PublicPath?
    /// The document in its project, if the site has a layout.
    var layout: LayoutPage?
    /// The user's choice of the form of URLs.
    var choice = URLChoice.automatic

    /// The URL of an image, by its file name.
    ///
    /// - Returns: nil if no URL can name the file.
    func url(of image: String, at reference: Reference) -> String? {
        if let publicPath { return url(of: image, below: publicPath, as: reference.form) }
        let absolute = address.flatMap { address in
            published(image).map { address.url(of: $0) }
        }
        return switch reference.form {
        case .absolute: absolute
        case .absoluteIfKnown: absolute ?? fromPage(image, reference)
        case .relative, .rooted: chosen(image, reference, absolute)
        }
    }

    /// The URL at a place that resolves relative URLs.
    private func chosen(
        _ image: String, _ reference: Reference, _ absolute: String?
    ) -> String? {
        if layout != nil { return fromPage(image, reference) }
        switch (choice, reference.form) {
        case (.root, _), (.automatic, .rooted):
            return (address?.path ?? "/") + urlPath(imageDirectory + "/" + image)
        case (.absolute, _): return absolute
        default: return fromPage(image, reference) ?? absolute
        }
    }

    /// The path of an image in the site.
    private func published(_ image: String) -> String? {
        guard let layout else { return imageDirectory + "/" + image }
        return layout.layout.publishedDirectory.map { joined($0, image) }
    }

    private func fromPage(_ image: String, _ reference: Reference) -> String? {
        guard let layout else {
            return page.map { urlPath(relativePath(from: $0, to: imageDirectory + "/" + image)) }
        }
        return layout.url(
            of: joined(layout.layout.imageDirectory, image), published: published(image),
            at: reference, from: page)
    }

    private func url(
        of image: String, below folder: PublicPath, as form: Reference.Form
    ) -> String? {
        let url = folder.text + urlPath(image)
        guard folder.address == nil, form != .relative, form != .rooted else { return url }
        let host = address.map { $0.url.dropLast($0.path.utf8.count) }
        return host.map { $0 + url } ?? (form == .absolute ? nil : url)
    }
}
