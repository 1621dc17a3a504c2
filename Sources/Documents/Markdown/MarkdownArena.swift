internal import CCmarkGFM
internal import Glibc

/// A memory arena for one cmark tree, which is freed all at once.
///
/// Without it, nearly a third of the parsing time went into allocating and freeing thousands of
/// small pieces. cmark's own arena is global to the process; this one belongs to one tree.
struct MarkdownArena: ~Copyable {
    private let state: UnsafeMutablePointer<State>

    /// The free space of the arena and its chunks.
    private struct State {
        var next: UnsafeMutableRawPointer?
        var remaining = 0
        /// The last chunk.
        ///
        /// Each chunk begins with a pointer to the previous chunk and its own size.
        var chunk: UnsafeMutableRawPointer?
        var chunkCount = 0
        /// The freed pieces by size, in units of 16 bytes.
        ///
        /// Each freed piece contains a pointer to the previous one of its size.
        var freeLists: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    }

    init() {
        state = .allocate(capacity: 1)
        let freeLists = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(
            capacity: Self.sizes)
        freeLists.initialize(repeating: nil, count: Self.sizes)
        state.initialize(to: State(freeLists: freeLists))
    }

    deinit {
        var chunk = state.pointee.chunk
        while let last = chunk {
            chunk = last.load(as: UnsafeMutableRawPointer?.self)
            Self.recycle(last)
        }
        state.pointee.freeLists.deallocate()
        state.deallocate()
    }

    /// Calls `body`, in which cmark allocates from this arena if it uses ``memory``.
    func use<Result>(_ body: () -> Result) -> Result {
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, state)
        defer { pthread_setspecific(Self.key, outer) }
        return body()
    }

    /// The current arena of a thread.
    ///
    /// cmark's allocation functions have no parameter for it.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    // nonisolated(unsafe): made once and never changed.
    nonisolated(unsafe) static let memory: UnsafeMutablePointer<cmark_mem> = {
        let memory = UnsafeMutablePointer<cmark_mem>.allocate(capacity: 1)
        memory.initialize(
            to: cmark_mem(
                calloc: { MarkdownArena.allocate($0 * $1) },
                realloc: { MarkdownArena.resize($0, to: $1) },
                free: { MarkdownArena.giveBack($0) }))
        return memory
    }()

    /// The size of the header before each piece, which holds the piece's size.
    private static let headerSize = 16
    private static let chunkSize = 64 << 10
    /// The number of piece sizes that are reused.
    ///
    /// Larger pieces are few and are not reused.
    private static let sizes = 17

    /// Allocates `size` bytes, all zero.
    private static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard let state = pthread_getspecific(key)?.assumingMemoryBound(to: State.self) else {
            return nil
        }
        let needed = (size + headerSize + 15) & ~15
        let piece: UnsafeMutableRawPointer
        if needed >> 4 < sizes, let used = state.pointee.freeLists[needed >> 4] {
            state.pointee.freeLists[needed >> 4] = used.load(as: UnsafeMutableRawPointer?.self)
            memset(used, 0, needed)
            piece = used
        } else {
            if state.pointee.remaining < needed { addChunk(to: state, for: needed) }
            guard let next = state.pointee.next else { return nil }
            state.pointee.next = next + needed
            state.pointee.remaining -= needed
            piece = next
        }
        piece.storeBytes(of: size, as: Int.self)
        return piece + headerSize
    }

    private static func giveBack(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer,
            let state = pthread_getspecific(key)?.assumingMemoryBound(to: State.self),
            // For a text of normal size, reuse costs more time than it saves.
            state.pointee.chunkCount > 16
        else { return }
        let piece = pointer - headerSize
        let units = (piece.load(as: Int.self) + headerSize + 15) >> 4
        guard units < sizes else { return }
        piece.storeBytes(of: state.pointee.freeLists[units], as: UnsafeMutableRawPointer?.self)
        state.pointee.freeLists[units] = piece
    }

    private static func addChunk(to state: UnsafeMutablePointer<State>, for needed: Int) {
        let size = max(chunkSize, needed + 2 * headerSize)
        let chunk: UnsafeMutableRawPointer
        if size == chunkSize, let spare = spareChunks.take() {
            chunk = memset(spare, 0, size)
        } else {
            // cmark also aborts if memory is exhausted.
            guard let new = calloc(1, size) else { abort() }
            chunk = new
        }
        chunk.storeBytes(of: state.pointee.chunk, as: UnsafeMutableRawPointer?.self)
        (chunk + 8).storeBytes(of: size, as: Int.self)
        state.pointee.chunk = chunk
        state.pointee.next = chunk + headerSize
        state.pointee.remaining = size - headerSize
        state.pointee.chunkCount += 1
    }

    /// The chunks for reuse.
    ///
    /// Clearing a chunk costs less than a new allocation.
    private static let spareChunks = SpareChunks(limit: 32)

    private static func recycle(_ chunk: UnsafeMutableRawPointer) {
        let isKept = (chunk + 8).load(as: Int.self) == chunkSize && spareChunks.keep(chunk)
        if !isKept { free(chunk) }
    }

    private static func resize(
        _ piece: UnsafeMutableRawPointer?, to size: Int
    ) -> UnsafeMutableRawPointer? {
        guard let piece else { return allocate(size) }
        let old = (piece - headerSize).load(as: Int.self)
        if size <= old { return piece }
        let new = allocate(size)
        new?.copyMemory(from: piece, byteCount: old)
        giveBack(piece)
        return new
    }
}
