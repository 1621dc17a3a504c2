import DocumentSyntax

/// A tag that a rewrite adds.
struct NewTag: Sendable {
    let name: String
    var isEnd = false
    var attributes: [NewAttribute] = []

    /// The tag as it is written.
    var text: String {
        isEnd ? "</\(name)>" : "<" + name + attributes.map(\.text).joined() + ">"
    }
}

/// An attribute that a rewrite adds.
struct NewAttribute: Sendable {
    let name: String
    /// The value between quotation marks.
    private let written: String
    /// The value that a browser must read.
    private let value: String
    /// The URL and the descriptor of each candidate, if the value is a set of them.
    private let candidates: [(url: String, descriptor: String)]?

    /// An attribute whose value needs no escapes.
    init(_ name: String, _ value: String) {
        self.name = name
        (written, self.value, candidates) = (value, value, nil)
    }

    /// An attribute with a URL.
    init(_ name: String, url: String) {
        self.name = name
        let notation = Notation(.attribute(.double)).write(url)
        (written, value, candidates) = (notation.text, notation.url, nil)
    }

    /// A `srcset`.
    init(_ name: String, _ set: [Replacement.Responsive.Candidate]) {
        self.name = name
        let notation = Notation(.attribute(.double), percentEncoding: .srcset)
        let urls = set.map { notation.write($0.url) }
        let descriptors = set.map(\.descriptor)
        func joined(_ urls: [String]) -> String {
            zip(urls, descriptors).map { $0 + $1 }.joined(separator: ", ")
        }
        written = joined(urls.map(\.text))
        value = joined(urls.map(\.url))
        candidates = Array(zip(urls.map(\.url), descriptors))
    }

    /// The attribute as it is written, after a space.
    var text: String { " \(name)=\"\(written)\"" }

    /// Whether an attribute is this one.
    func isRead(as attribute: HTMLAttribute, in bytes: UnsafeBytes) -> Bool {
        guard bytes[attribute.name].elementsEqual(name.utf8), attribute.quote == .double else {
            return false
        }
        let decoded = DecodedText(UnsafeBytes(rebasing: bytes[attribute.value])).bytes
        guard decoded.elementsEqual(value.utf8) else { return false }
        guard let candidates else { return true }
        return decoded.withUnsafeBufferPointer { decoded in
            Array(Srcset(decoded)).elementsEqual(candidates) { found, wanted in
                decoded[found.url].elementsEqual(wanted.url.utf8)
                    && decoded[found.descriptors].elementsEqual(wanted.descriptor.utf8)
            }
        }
    }
}

extension [NewAttribute] {
    /// The end of these attributes, if the next ones after `position` are they; it moves to the end.
    func end(from position: inout Int, in bytes: UnsafeBytes) -> Int? {
        for attribute in self {
            let text = attribute.text.utf8
            guard bytes[position...].starts(with: text),
                let found = HTMLTokenizer.attribute(in: bytes, from: &position),
                attribute.isRead(as: found, in: bytes)
            else { return nil }
        }
        return position
    }
}

extension [NewTag] {
    /// The end of these tags, if nothing else begins at `start`.
    func end(from start: Int, in bytes: UnsafeBytes) -> Int? {
        var tokenizer = HTMLTokenizer(isGuided: true)
        var position = start
        for tag in self {
            let tagStart = position
            guard case .tag(let found)? = tokenizer.next(in: bytes, from: &position),
                found.range.lowerBound == tagStart, found.isEnd == tag.isEnd,
                !found.isSelfClosing, bytes[found.range].elementsEqual(tag.text.utf8),
                tokenizer.attributes.elementsEqual(
                    tag.attributes, by: { $1.isRead(as: $0, in: bytes) })
            else { return nil }
        }
        return position
    }
}

/// What a rewrite adds to a tag and around it.
struct NewMarkup: Sendable {
    /// The attributes, which follow the one with the URL.
    var attributes: [NewAttribute] = []
    var tagsBefore: [NewTag] = []
    var tagsAfter: [NewTag] = []
}

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
