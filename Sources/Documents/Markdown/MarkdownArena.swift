internal import CCmarkGFM
internal import Glibc

/// Memory for what cmark makes of one text, given back all at once.
///
/// Nearly a third of a parse went into giving out and taking back its thousands of small pieces one
/// by one. cmark's own arena is one for the whole process; this one is for one tree.
struct MarkdownArena: ~Copyable {
    private let state: UnsafeMutablePointer<State>

    /// Where the next piece is taken from, and all that was taken so far.
    private struct State {
        var next: UnsafeMutableRawPointer?
        var remaining = 0
        /// The last chunk; each begins with a pointer to the one before and its own size.
        var chunk: UnsafeMutableRawPointer?
        var chunkCount = 0
        /// For each size, in units of 16 bytes, the piece given back last; in each is the one before.
        var givenBack: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    }

    init() {
        state = .allocate(capacity: 1)
        let givenBack = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(
            capacity: Self.sizes)
        givenBack.initialize(repeating: nil, count: Self.sizes)
        state.initialize(to: State(givenBack: givenBack))
    }

    deinit {
        var chunk = state.pointee.chunk
        while let last = chunk {
            chunk = last.load(as: UnsafeMutableRawPointer?.self)
            Self.recycle(last)
        }
        state.pointee.givenBack.deallocate()
        state.deallocate()
    }

    /// Calls `body`, in which cmark takes its memory from here if it is given ``memory``.
    func use<Result>(_ body: () -> Result) -> Result {
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, state)
        defer { pthread_setspecific(Self.key, outer) }
        return body()
    }

    /// cmark's functions for memory know nothing of a tree, so the thread has to.
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

    /// Before each piece stands its size.
    private static let headerSize = 16
    private static let chunkSize = 64 << 10
    /// Larger pieces are few, and not given out again.
    private static let sizes = 17

    /// A piece of `size` bytes, all zero.
    private static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard let state = pthread_getspecific(key)?.assumingMemoryBound(to: State.self) else {
            return nil
        }
        let needed = (size + headerSize + 15) & ~15
        let piece: UnsafeMutableRawPointer
        if needed >> 4 < sizes, let used = state.pointee.givenBack[needed >> 4] {
            state.pointee.givenBack[needed >> 4] = used.load(as: UnsafeMutableRawPointer?.self)
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
            // Of a text of usual size it is not worth the while.
            state.pointee.chunkCount > 16
        else { return }
        let piece = pointer - headerSize
        let units = (piece.load(as: Int.self) + headerSize + 15) >> 4
        guard units < sizes else { return }
        piece.storeBytes(of: state.pointee.givenBack[units], as: UnsafeMutableRawPointer?.self)
        state.pointee.givenBack[units] = piece
    }

    private static func addChunk(to state: UnsafeMutablePointer<State>, for needed: Int) {
        let size = max(chunkSize, needed + 2 * headerSize)
        let chunk: UnsafeMutableRawPointer
        if size == chunkSize, let spare = spareChunks.take() {
            chunk = memset(spare, 0, size)
        } else {
            // As cmark itself does, where memory ends.
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

    /// To get chunks anew from the system costs more than to clear them.
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
