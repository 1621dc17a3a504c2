import DocumentSyntax

/// Splices that belong together: if one of them is undone, the others must be too.
///
/// Most edits replace one URL. Images that share a claim or an element's control share an edit.
package struct Edit: Codable, Sendable, Hashable {
    /// An image whose URL the edit replaces.
    package struct Image: Codable, Sendable, Hashable {
        /// The old URL, decoded; it can be relative.
        package var url: String
        /// The new URL, before it is escaped for its place.
        package var replacement: String
        /// The index in ``Edit/splices`` of the splice that contains the URL.
        package var splice: Int
        /// The offset of the new URL in the text of that splice; nil if the splice removes it.
        package var offset: Int?

        package init(url: String, replacement: String, splice: Int, offset: Int?) {
            self.url = url
            self.replacement = replacement
            self.splice = splice
            self.offset = offset
        }
    }

    /// In ascending order; those of several edits can alternate.
    package var splices: [Splice]
    package var images: [Image]
    /// The URLs of other files that the edit adds: smaller ones of these images, and the style sheet
    /// of the classes.
    package var smaller: [String]

    package init(splices: [Splice], images: [Image] = [], smaller: [String] = []) {
        self.splices = splices
        self.images = images
        self.smaller = smaller
    }
}

extension [Edit] {
    /// The splices of all edits, in ascending order.
    package var splices: [Splice] { flatMap(\.splices).inOrder(by: Splice.areInOrder) }
}

/// Collects splices and finds out which of them belong together.
struct EditBuilder {
    /// A splice or a control, as a node of a forest; the nodes of a tree share an edit.
    private var parents: [Int] = []
    private var entries: [(node: Int, splice: Splice, image: Edit.Image?)] = []
    private var smaller: [(node: Int, urls: [String])] = []

    /// A new node, which belongs to no other one yet.
    mutating func makeNode() -> Int {
        parents.append(parents.count)
        return parents.count - 1
    }

    /// Puts two nodes and all that belongs to them into one edit.
    mutating func join(_ first: Int, _ second: Int) { parents[root(first)] = root(second) }

    /// Adds a splice, with the image whose URL it replaces.
    mutating func add(_ splice: Splice, to node: Int, image: Edit.Image? = nil) {
        entries.append((node, splice, image))
    }

    /// Adds the URLs of other files that a splice of the node has or needs.
    mutating func add(smaller urls: [String], to node: Int) { smaller.append((node, urls)) }

    private func root(_ node: Int) -> Int {
        var node = node
        while parents[node] != node { node = parents[node] }
        return node
    }

    /// The edits, in the order of their first splices.
    var edits: [Edit] {
        // The end of one picture and the start of the next can be at one place; the sort is stable.
        let sorted = entries.inOrder { Splice.areInOrder($0.splice, $1.splice) }
        // The edit of each root.
        var places = [Int?](repeating: nil, count: parents.count)
        var edits: [Edit] = []
        edits.reserveCapacity(sorted.count)
        for entry in sorted {
            let root = root(entry.node)
            let place = places[root] ?? edits.count
            places[root] = place
            if place == edits.count {
                // Nearly all edits have one splice, which is that of their image.
                let images = entry.image.map { [$0] } ?? []
                edits.append(Edit(splices: [entry.splice], images: images))
                continue
            }
            if var image = entry.image {
                image.splice = edits[place].splices.count
                edits[place].images.append(image)
            }
            edits[place].splices.append(entry.splice)
        }
        for (node, urls) in smaller {
            if let place = places[root(node)] { edits[place].smaller += urls }
        }
        return edits
    }
}

/// A byte range of a document and its replacement.
///
/// Splices can be stored and applied to the same bytes later.
package struct Splice: Codable, Sendable, Hashable {
    /// The offset of the first replaced byte.
    package var offset: Int
    /// The number of replaced bytes; 0 for an insertion.
    package var length: Int
    /// The replacement.
    package var text: String

    package var range: Range<Int> { offset..<offset + length }

    /// The order in which splices are applied.
    static func areInOrder(_ first: Splice, _ second: Splice) -> Bool {
        (first.offset, first.length) < (second.offset, second.length)
    }

    package init(range: Range<Int>, text: String) {
        offset = range.lowerBound
        length = range.count
        self.text = text
    }
}

/// Applies splices to a document.
///
/// - Parameters:
///   - splices: Splices in ascending order and without overlap, as in ``Rewrite``.
///   - bytes: The document for which the splices were made.
/// - Returns: The new document; nil if the splices are out of order or out of bounds, for example
///   because they belong to another document.
package func apply(_ splices: [Splice], to bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(splices.reduce(bytes.count) { $0 + $1.text.utf8.count })
    var copied = 0
    for splice in splices {
        guard splice.offset >= copied, splice.offset <= bytes.count, splice.length >= 0,
            splice.length <= bytes.count - splice.offset
        else { return nil }
        result += bytes[copied..<splice.offset]
        result += splice.text.utf8
        copied = splice.offset + splice.length
    }
    result += bytes[copied...]
    return result
}
