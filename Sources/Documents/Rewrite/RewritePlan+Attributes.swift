extension RewritePlan {
    /// The attributes to add to an element that lacks them.
    func newAttributes(of replacement: Replacement, at place: EditPoint.Size) -> [NewAttribute] {
        let known = place.attributes ?? ImageTagAttributes()
        var new: [NewAttribute] = []
        func add(_ name: String, _ value: String?, unless known: String?) {
            guard let value, known == nil, !new.contains(where: { $0.name == name }) else { return }
            new.append(NewAttribute(name, value))
        }
        if place.takesSize, let size = replacement.size {
            add("width", "\(size.width)", unless: known.width)
            add("height", "\(size.height)", unless: known.height)
        }
        guard place.isDescribed, let more = replacement.responsive else { return new }
        add("width", more.width.map(String.init), unless: known.width)
        add("height", more.height.map(String.init), unless: known.height)
        let prefix = place.isPreload ? "image" : ""
        if !more.candidates.isEmpty { new.append(NewAttribute(prefix + "srcset", more.candidates)) }
        add(prefix + "sizes", more.sizes, unless: known.sizes)
        add("loading", more.loadsLazily ? "lazy" : nil, unless: known.loading)
        add("decoding", more.decodesLater ? "async" : nil, unless: known.decoding)
        add("style", more.style, unless: known.style)
        add("class", more.className, unless: known.className)
        return new
    }
}

extension RewritePlan {
    /// New candidates of a `srcset` that there is.
    struct NewCandidates {
        /// What they add to the value, with a comma before each.
        var value: [UInt8] = []
        /// Their URLs, each followed by its descriptor.
        var urls: [String] = []
    }

    /// Adds candidates after those that the author wrote.
    mutating func addCandidates(
        of replacement: Replacement, at editPoint: EditPoint, _ node: Int
    ) {
        guard let end = editPoint.endOfSet, !replacement.candidates.isEmpty else { return }
        var new = NewCandidates()
        var text = ""
        for candidate in replacement.candidates {
            let written = editPoint.notation.write(candidate.url)
            let descriptor = candidate.descriptor
            text += ", " + written.text + descriptor
            new.value += (", " + written.url + descriptor).utf8
            new.urls += [written.url, descriptor]
        }
        builder.add(Splice(range: end..<end, text: text), to: node)
        builder.add(smaller: replacement.candidates.map(\.url), to: node)
        addedCandidates[editPoint.piece.slot] = new
    }
}
