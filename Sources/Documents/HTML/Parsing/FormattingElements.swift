/// The list of active formatting elements of the HTML standard (13.2.4.3).
///
/// A formatting element that is closed by an element around it is opened again in what follows.
struct FormattingElements {
    struct Entry {
        var name: HTMLName
        /// The number that the element and its copies share; nil for a marker.
        var id: Int32?
        /// The range of the tag.
        var tag: Range<Int>
    }

    private let bytes: UnsafeBytes
    private(set) var entries: [Entry] = []
    /// The number of elements that were dropped because three others have the same tag.
    ///
    /// It is hashed with the page, because it may depend on a tag with slots and decides the tree
    /// after it.
    private(set) var dropped = 0

    init(_ bytes: UnsafeBytes) { self.bytes = bytes }

    var isEmpty: Bool { entries.isEmpty }

    subscript(index: Int) -> Entry { entries[index] }

    /// The index of the last element with this name after the last marker.
    func lastIndex(of name: HTMLName) -> Int? {
        for index in entries.indices.reversed() {
            if entries[index].id == nil { return nil }
            if entries[index].name == name { return index }
        }
        return nil
    }

    func lastIndex(id: Int32) -> Int? { entries.lastIndex { $0.id == id } }

    /// Adds the element of a tag; the earliest of four equal ones since the last marker is dropped.
    mutating func add(_ tag: HTMLTag, id: Int32) {
        var equal: [Int] = []
        for index in entries.indices.reversed() {
            if entries[index].id == nil { break }
            if entries[index].name == tag.element,
                UnsafeBytes(rebasing: bytes[entries[index].tag])
                    .isSame(as: UnsafeBytes(rebasing: bytes[tag.range]))
            {
                equal.append(index)
            }
        }
        if equal.count >= 3 {
            entries.remove(at: equal[equal.count - 1])
            dropped += 1
        }
        entries.append(
            Entry(name: tag.element, id: id, tag: tag.range))
    }

    mutating func addMarker() {
        entries.append(Entry(name: .other, id: nil, tag: 0..<0))
    }

    mutating func clearToMarker() {
        while let last = entries.popLast(), last.id != nil {}
    }

    @discardableResult
    mutating func remove(at index: Int) -> Entry { entries.remove(at: index) }

    mutating func insert(_ entry: Entry, at index: Int) { entries.insert(entry, at: index) }
}
