import Documents
import ImageFormats
import Recipes

/// Decides what becomes of the claims of a document's references once their images are ready.
///
/// Pure, so that it is tested without an image.
struct ClaimPlan {
    /// All references of the document, in its order.
    let references: [Reference]
    /// The images that take the place of those that are rewritten, by the places of the references.
    let images: [Range<Int>: BakedImage]
    /// The descriptors of candidates that are not alone in their `srcset`.
    private let compared: Set<Range<Int>>

    init(_ references: [Reference], images: [Range<Int>: BakedImage]) {
        self.references = references
        self.images = images
        var compared: Set<Range<Int>> = []
        for (one, next) in zip(references, references.dropFirst()) where next.isRemovable {
            compared.formUnion([one, next].compactMap { $0.descriptors?.range })
        }
        self.compared = compared
    }

    /// What must stay as it was since a claim would not be true any more and cannot be made so: by the
    /// places of the references.
    var restrictions: [Range<Int>: Reference.FixedProperties] {
        var result: [Range<Int>: Reference.FixedProperties] = [:]
        for (claim, owners) in sharedClaims {
            for owner in owners where !canRewrite(claim, of: owners) {
                guard let image = images[owner.range], image.changes(claim.kind) else { continue }
                result[owner.range, default: []].formUnion(claim.kind.fixedProperties)
            }
        }
        return result
    }

    /// What is written for the claims of a reference.
    func texts(for reference: Reference) -> [Reference.Claim.Kind: String] {
        guard let image = images[reference.range] else { return [:] }
        var texts: [Reference.Claim.Kind: String] = [:]
        for claim in reference.claims { texts[claim.kind] = text(of: claim, image) }
        return texts
    }

    /// The candidates to take out of their `srcset`.
    ///
    /// They have the descriptors of one before them now and had not before; browsers pass over such
    /// candidates.
    var removals: Set<Range<Int>> {
        var result: Set<Range<Int>> = []
        /// The old descriptors of the candidates of one `srcset`, by the new ones.
        var seen: [String: String] = [:]
        for reference in references {
            guard let claim = reference.descriptors else { continue }
            if !reference.isRemovable { seen = [:] }
            let old = normalized(claim.text)
            let new = images[reference.range].map { text(of: claim, $0) ?? claim.text }
            let key = new.map(normalized) ?? old
            guard let first = seen[key] else {
                seen[key] = old
                continue
            }
            if first != old, reference.isRemovable, new != nil { result.insert(reference.range) }
        }
        return result
    }

    private func normalized(_ descriptors: String) -> String {
        let words = descriptors.lowercased().split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? "1x" : words.joined(separator: " ")
    }

    /// The claims, each with the references that share it.
    private var sharedClaims: [(claim: Reference.Claim, owners: [Reference])] {
        var indices: [Reference.Claim: Int] = [:]
        var result: [(claim: Reference.Claim, owners: [Reference])] = []
        for reference in references {
            for claim in reference.claims {
                if let index = indices[claim] {
                    result[index].owners.append(reference)
                } else {
                    indices[claim] = result.count
                    result.append((claim, [reference]))
                }
            }
        }
        return result
    }

    /// Whether one new text is true for all references that share a claim.
    ///
    /// A claim that was not true before is left, and so is what it is about.
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
        case .byteCount: return true
        }
    }

    private func text(of claim: Reference.Claim, _ image: BakedImage) -> String? {
        let scaling = ImageScaling(image)
        switch claim.kind {
        case .mediaType:
            return image.format == image.original.format ? claim.text : image.format.mediaType
        case .byteCount: return String(image.byteCount)
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
    /// Whether a claim of this kind is not true any more.
    fileprivate func changes(_ claim: Reference.Claim.Kind) -> Bool {
        switch claim {
        case .mediaType: format != original.format
        case .width, .height, .descriptors: !ImageScaling(self).isNone
        case .byteCount: false
        }
    }
}
