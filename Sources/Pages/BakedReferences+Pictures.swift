import Documents
import ImageFormats
import Pictures

extension BakedReferences {
    /// The sources to add before children of pictures, by the first reference of each child.
    func sources(
        _ claims: ClaimPlan, _ removals: Set<Range<Int>>
    ) -> [Range<Int>: [Replacement.Responsive.Source]] {
        let members = Dictionary(grouping: items.filter { !$0.formatsBeside.isEmpty }) {
            $0.reference.member
        }
        var result: [Range<Int>: [Replacement.Responsive.Source]] = [:]
        for (place, items) in members {
            guard let place, let candidates = MemberCandidates(items.map(\.reference)) else {
                continue
            }
            let member = plan.extraction.pictures[place.picture].members[place.member]
            let files = candidates.references.filter { !removals.contains($0.range) }.map { one in
                items.first { $0.reference.range == one.range }
            }
            result[items[0].reference.range] = items[0].formatsBeside.compactMap { format in
                let written = self.candidates(
                    in: format, files.compactMap(\.self), candidates, claims)
                return written.map { candidates in
                    var source = Replacement.Responsive.Source(member, format, candidates)
                    source.isStyledByClass = plan.references.sheet != nil
                    return source
                }
            }
        }
        return result
    }

    /// The candidates of a child of a picture in another format; nil if a browser would choose
    /// another size among them.
    private func candidates(
        in format: ImageFormat, _ items: [PlannedReferences.Item], _ member: MemberCandidates,
        _ claims: ClaimPlan
    ) -> [Replacement.Responsive.Candidate]? {
        var files: [(file: VariantFile, item: PlannedReferences.Item)] = []
        var widest = 0
        for item in items {
            guard let image = outcomes[item.request]?.image else { return nil }
            let own = image.alternatives.filter { $0.format == format }
            widest = max(widest, image.width)
            if !member.stateWidths, own.isEmpty { return nil }
            files += (member.stateWidths ? own[...] : own.suffix(1)).map { ($0, item) }
        }
        if member.stateWidths {
            files.sort { $0.file.width < $1.file.width }
            guard files.last?.file.width == widest else { return nil }
        }
        var result: [Replacement.Responsive.Candidate] = []
        var last = 0
        for (file, item) in files where !member.stateWidths || file.width > last {
            last = file.width
            guard let url = plan.writer.url(of: file.fileName, at: item.reference) else {
                return nil
            }
            let descriptor = claims.texts(for: item.reference)[.descriptors]
            result.append(
                member.stateWidths
                    ? .init(url: url, width: file.width)
                    : .init(url: url, descriptor: descriptor ?? item.reference.descriptorText ?? "")
            )
        }
        return result
    }
}

extension Replacement.Responsive.Source {
    /// A source with the attributes of another child of a picture.
    fileprivate init(
        _ member: AuthorPicture.Member, _ format: ImageFormat,
        _ candidates: [Replacement.Responsive.Candidate]
    ) {
        self.init(mediaType: format.mediaType, candidates: candidates, sizes: member.sizes)
        // The condition of an `<img>` is always met, and its size counts for sources without one.
        if !member.isImage { (media, width, height) = (member.media, member.width, member.height) }
    }
}
