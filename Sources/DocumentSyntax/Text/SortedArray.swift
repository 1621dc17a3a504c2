extension Array {
    /// The index of the first element that satisfies `isAfter`, if those that do are the last ones;
    /// otherwise the number of elements.
    @inlinable package func firstSortedIndex(where isAfter: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The elements sorted stably; in nearly all cases they are in order already.
    @inlinable package func inOrder(by isBefore: (Element, Element) -> Bool) -> [Element] {
        let isSorted = indices.dropFirst().allSatisfy { !isBefore(self[$0], self[$0 - 1]) }
        return isSorted ? self : sorted(by: isBefore)
    }
}

extension [Range<Int>] {
    /// Whether one of these ranges, which are in order and do not overlap, contains an offset.
    @inlinable package func containSorted(_ offset: Int) -> Bool {
        let next = firstSortedIndex { $0.upperBound > offset }
        return next < count && self[next].contains(offset)
    }
}
