import Locks

/// A list of freed memory chunks for reuse, by their addresses.
final class SpareChunks: Sendable {
    private let limit: Int
    private let chunks = Locked<[UInt]>([])

    /// - Parameter limit: The largest number of chunks that are kept.
    init(limit: Int) { self.limit = limit }

    func take() -> UnsafeMutableRawPointer? {
        let address = chunks.withLock { $0.popLast() }
        return address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    }

    /// - Returns: Whether the chunk is kept.
    func keep(_ chunk: UnsafeMutableRawPointer) -> Bool {
        let address = UInt(bitPattern: chunk)
        return chunks.withLock { chunks in
            guard chunks.count < limit else { return false }
            chunks.append(address)
            return true
        }
    }
}
