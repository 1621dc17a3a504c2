import Documents
import ImageFormats
import Pictures
import Reports
import Sites

/// The sources in other formats that a `<picture>` of the author lacks.
///
/// Each is made of the files of the member that follows it, and has its `media` and `sizes`. So a
/// browser that knows the format shows the same picture in the same size.
///
/// It is not made of the original behind the `<img>`, whose natural size may be another. That costs
/// some quality where the member has a lossy file. Each stands directly before the tag of a member,
/// in a form that is a slot of the outline.
struct PictureCompletion {
    /// The formats to add before members, in the order of preference.
    private(set) var formats: [AuthorPicture.Place: [ImageFormat]] = [:]
    /// The members that a browser shows only if it knows none of the formats before them.
    private(set) var fallbacks: Set<AuthorPicture.Place> = []
    /// Why some images get no sources, by the places of these images.
    private(set) var missing: [AuthorPicture.Place: KeptReason.Cause] = [:]

    /// - Parameters:
    ///   - pictures: The pictures of the page.
    ///   - wanted: Returns the formats that a member should have beside it, in the order of
    ///     preference; none if it cannot be completed.
    ///   - objection: Returns a reason not to change a picture.
    init(
        _ pictures: [AuthorPicture], wanted: (AuthorPicture.Place) -> [ImageFormat],
        objection: (AuthorPicture) -> KeptReason.Cause?
    ) {
        for (number, picture) in pictures.enumerated()
        where picture.image != nil && !picture.isIrregular {
            var additions: [AuthorPicture.Place: [ImageFormat]] = [:]
            for group in picture.groups {
                Self.add(to: group, of: picture, number, wanted, &additions)
                addFallbacks(of: group, in: picture, number, wanted)
            }
            if additions.isEmpty { continue }
            if let reason = objection(picture), let last = picture.members.indices.last {
                missing[AuthorPicture.Place(picture: number, member: last)] = reason
            } else {
                formats.merge(additions) { $1 }
            }
        }
    }

    private mutating func addFallbacks(
        of group: [Int], in picture: AuthorPicture, _ number: Int,
        _ wanted: (AuthorPicture.Place) -> [ImageFormat]
    ) {
        let places = group.map { AuthorPicture.Place(picture: number, member: $0) }
        let first = places.firstIndex { place in
            picture.members[place.member].format.map(wanted(place).contains) ?? false
        }
        if let first { fallbacks.formUnion(places[(first + 1)...]) }
    }

    /// Adds the formats that members with the same `media` lack.
    private static func add(
        to group: [Int], of picture: AuthorPicture, _ number: Int,
        _ wanted: (AuthorPicture.Place) -> [ImageFormat],
        _ additions: inout [AuthorPicture.Place: [ImageFormat]]
    ) {
        guard let last = group.last else { return }
        let order = wanted(AuthorPicture.Place(picture: number, member: last))
        let stated = group.map { picture.members[$0].format }
        for (rank, format) in order.enumerated() where !stated.contains(format) {
            // The first that is not preferred; a browser takes the first that it knows.
            let index = stated.firstIndex { own in
                own.flatMap { order.firstIndex(of: $0) }.map { $0 > rank } ?? true
            }
            guard let index else { continue }
            let member = picture.members[group[index]]
            let place = AuthorPicture.Place(picture: number, member: group[index])
            guard member.isRepeatable, wanted(place).contains(format) else { continue }
            additions[place, default: []].append(format)
        }
    }
}

extension AuthorPicture {
    /// The members between which a browser chooses by the format alone.
    fileprivate var groups: [[Int]] {
        var groups: [[Int]] = []
        for index in members.indices where members[index].hasSet || members[index].isImage {
            if let last = groups.last?.last, members[last].condition == members[index].condition {
                groups[groups.count - 1].append(index)
            } else {
                groups.append([index])
            }
        }
        return groups
    }
}

extension AuthorPicture.Member {
    /// Its `media`; empty if it counts always.
    fileprivate var condition: String {
        let words = (media ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .lowercased()
        return isImage || words == "all" ? "" : words
    }

    /// The format that its `type` states.
    var format: ImageFormat? {
        type.flatMap { type in ImageFormat.all.first { $0.isMediaType(type) } }
    }

    /// Whether a new source can have its attributes.
    fileprivate var isRepeatable: Bool {
        // An unknown type may be one of the formats.
        if type != nil, format == nil { return false }
        return [media, sizes, width, height].compactMap(\.self).joined().utf8.allSatisfy {
            (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "&")
        }
    }
}

/// The candidates of a child of a `<picture>`.
struct MemberCandidates {
    /// In the order of the document.
    let references: [Reference]
    /// Whether they have `w` descriptors; else each has a density or none.
    let stateWidths: Bool

    /// Reads all references of the child; nil if their descriptors are not in order.
    init?(_ references: [Reference]) {
        var sources: [Reference] = []
        var set: [Reference] = []
        var descriptors: [String] = []
        for reference in references {
            guard case .srcset = reference.kind else {
                sources.append(reference)
                continue
            }
            guard let text = reference.descriptorText else { return nil }
            set.append(reference)
            descriptors.append(text.filter { !$0.isWhitespace })
        }
        stateWidths =
            !set.isEmpty
            && descriptors.allSatisfy { $0.last == "w" && Int($0.dropLast()) != nil }
        let densities = descriptors.map { text in
            text.isEmpty ? 1 : text.last == "x" ? Double(text.dropLast()) : nil
        }
        guard stateWidths || densities.allSatisfy({ $0 != nil }), sources.count < 2 else {
            return nil
        }
        // A browser adds the `src` to a set without a candidate of this density.
        self.references = (stateWidths || densities.contains(1) ? [] : sources) + set
        if self.references.isEmpty { return nil }
    }
}

extension Reference {
    /// The descriptor of a candidate with the space before it; nil if it cannot be rewritten.
    var descriptorText: String? { claims.first { $0.kind == .descriptors }?.text }
}

extension ResponsivePage {
    /// Asks for the files of the sources that the pictures of the author lack.
    mutating func completePictures(
        of extraction: Extraction, _ items: inout [PlannedReferences.Item]
    ) {
        if extraction.pictures.isEmpty { return }
        let all = Dictionary(grouping: extraction.references, by: \.member)
        let planned = items
        let indices = Dictionary(grouping: planned.indices) { planned[$0].reference.member }
        let completion = PictureCompletion(extraction.pictures) { place in
            guard let own = indices[place], own.count == all[place]?.count,
                MemberCandidates(own.map { planned[$0].reference }) != nil,
                Set(own.map { planned[$0].formatsBeside }).count == 1
            else { return [] }
            return planned[own[0]].formatsBeside
        } objection: {
            missingSources(of: $0)
        }
        for case (let place?, let own) in indices {
            let formats = completion.formats[place] ?? []
            let member = extraction.pictures[place.picture].members[place.member]
            let references = MemberCandidates(own.map { planned[$0].reference })?.references
            let candidates = Set((references ?? []).map(\.range))
            for index in own {
                if let format = member.format, items[index].formatsBeside.contains(format) {
                    items[index].request.options = items[index].request.options.beside(
                        stated: format)
                } else if completion.fallbacks.contains(place), !items[index].formatsBeside.isEmpty
                {
                    items[index].request.options = items[index].request.options.forAllBrowsers
                }
                items[index].formatsBeside = formats
                if formats.isEmpty { continue }
                let options = items[index].request.options
                let isCandidate = candidates.contains(items[index].reference.range)
                items[index].request.formats = isCandidate ? formats : []
                items[index].request.options = isCandidate ? options : options.forAllBrowsers
            }
            items[own[0]].missingSources = completion.missing[place]
        }
    }
}
