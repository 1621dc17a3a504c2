/// The slots that the output of a rewrite must have: those of the document, some of them changed.
///
/// The slots that stay are not copied, because most of a document's do.
struct ExpectedSlots {
    private let original: [Outline.Slot]
    private var changed: [Outline.Slot] = []
    /// The index of each slot in ``changed``; -1 if it stays as it is.
    private var places: [Int32]

    init(_ slots: [Outline.Slot]) {
        original = slots
        places = Array(repeating: -1, count: slots.count)
    }

    var indices: Range<Int> { original.indices }

    subscript(index: Int) -> Outline.Slot {
        isChanged(index) ? changed[Int(places[index])] : original[index]
    }

    func isChanged(_ index: Int) -> Bool { places[index] >= 0 }

    /// The offset in the document of the attribute value that is the slot; -1 for another slot.
    func start(of index: Int) -> Int { original[index].start }

    mutating func change(_ index: Int, _ change: (inout Outline.Slot) -> Void) {
        if !isChanged(index) {
            places[index] = Int32(changed.count)
            changed.append(original[index])
        }
        change(&changed[Int(places[index])])
    }
}
