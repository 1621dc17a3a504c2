internal import CBoundedParsers

/// A memory arena for one tree of cmark, which is freed all at once.
///
/// Without it, nearly a third of the parsing time went into allocating and freeing thousands of
/// small pieces. cmark's own arena is global to the process; this one belongs to one tree. Its
/// memory counts for the ``ParserLimits`` of the document.
struct ParserArena: ~Copyable {
    let pointer: OpaquePointer

    init() { pointer = parser_arena_new() }

    deinit { parser_arena_free(pointer) }

    /// Calls `body`, in which cmark allocates from this arena.
    func use(_ body: () -> Void) {
        let outer = parser_arena_use(pointer)
        body()
        _ = parser_arena_use(outer)
    }
}
