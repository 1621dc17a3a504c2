#include "ParserArena.h"
#include "ParserClock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    chunk_size = 64 << 10,
    // Larger pieces are allocated one by one, so that growing them needs no second copy.
    largest_small_piece = 4096,
    piece_classes = largest_small_piece / 16 + 1,
    most_spare_chunks = 32,
};

// Before each piece is its size.
struct header {
    size_t size;
    size_t unused;
};

// A large piece; its header follows.
struct large {
    struct large *previous, *next;
};

struct chunk {
    struct chunk *previous;
    size_t unused;
};

struct parser_arena {
    unsigned char *next;
    size_t remaining;
    struct chunk *chunks;
    size_t chunk_count;
    struct large *large;
    // The memory that counts for the limit.
    size_t held;
    jmp_buf *exit;
    // The freed pieces by size, in units of 16 bytes.
    void *free_pieces[piece_classes];
};

static _Thread_local struct parser_arena *current;

static _Thread_local struct {
    struct parser_limits limits;
    size_t held, work, places;
    enum parser_excess excess;
} state;

void parser_limits_begin(struct parser_limits limits) {
    memset(&state, 0, sizeof state);
    state.limits = limits;
    parser_clock_begin(limits.milliseconds);
}

void parser_limits_exceed(enum parser_excess excess) {
    if (state.excess == parser_excess_none) state.excess = excess;
}

bool parser_limits_take_place(void) {
    if (state.limits.places == 0 || ++state.places <= state.limits.places) return true;
    parser_limits_exceed(parser_excess_places);
    return false;
}

bool parser_limits_are_exceeded(void) { return state.excess != parser_excess_none; }

enum parser_excess parser_limits_end(void) {
    enum parser_excess excess = state.excess;
    memset(&state, 0, sizeof state);
    return excess;
}

static void leave(struct parser_arena *arena, enum parser_excess excess) {
    parser_limits_exceed(excess);
    if (arena->exit) longjmp(*arena->exit, 1);
}

// Counts `size` bytes that are about to be allocated.
static void reserve(struct parser_arena *arena, size_t size) {
    if (state.limits.memory > 0 && state.held + size > state.limits.memory)
        leave(arena, parser_excess_memory);
    state.held += size;
    arena->held += size;
}

static void release(struct parser_arena *arena, size_t size) {
    // The limits may have begun after the allocation.
    state.held -= size < state.held ? size : state.held;
    arena->held -= size;
}

// Counts the work of one allocation.
static void count_work(struct parser_arena *arena, size_t size) {
    state.work += size;
    if (state.limits.work > 0 && state.work > state.limits.work) leave(arena, parser_excess_work);
}

static void *unless_null(struct parser_arena *arena, void *memory) {
    if (memory) return memory;
    leave(arena, parser_excess_memory);
    // Outside of a parser there is nowhere to go; cmark itself would abort too.
    abort();
}

// Chunks that are kept for the next tree: clearing one costs less than a new allocation.

static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static struct chunk *spare_chunks[most_spare_chunks];
static size_t spare_count;

static struct chunk *take_spare_chunk(void) {
    pthread_mutex_lock(&spare_lock);
    struct chunk *chunk = spare_count > 0 ? spare_chunks[--spare_count] : NULL;
    pthread_mutex_unlock(&spare_lock);
    return chunk ? memset(chunk, 0, chunk_size) : NULL;
}

static void recycle(struct chunk *chunk) {
    pthread_mutex_lock(&spare_lock);
    bool is_kept = spare_count < most_spare_chunks;
    if (is_kept) spare_chunks[spare_count++] = chunk;
    pthread_mutex_unlock(&spare_lock);
    if (!is_kept) free(chunk);
}

static void add_chunk(struct parser_arena *arena) {
    reserve(arena, chunk_size);
    struct chunk *chunk = take_spare_chunk();
    if (!chunk) chunk = unless_null(arena, calloc(1, chunk_size));
    chunk->previous = arena->chunks;
    arena->chunks = chunk;
    arena->chunk_count++;
    arena->next = (unsigned char *) (chunk + 1);
    arena->remaining = chunk_size - sizeof *chunk;
}

// Large pieces.

static struct header *header_of(void *memory) { return (struct header *) memory - 1; }

static struct large *large_of(void *memory) { return (struct large *) header_of(memory) - 1; }

static size_t whole_size(size_t size) {
    return sizeof(struct large) + sizeof(struct header) + size;
}

static void *link_large(struct parser_arena *arena, struct large *piece, size_t size) {
    piece->previous = NULL;
    piece->next = arena->large;
    if (arena->large) arena->large->previous = piece;
    arena->large = piece;
    struct header *header = (struct header *) (piece + 1);
    header->size = size;
    return header + 1;
}

static void unlink_large(struct parser_arena *arena, struct large *piece) {
    if (piece->previous) piece->previous->next = piece->next;
    else arena->large = piece->next;
    if (piece->next) piece->next->previous = piece->previous;
}

static void *allocate_large(struct parser_arena *arena, size_t size) {
    // No parser asks for this much, but the sum must not overflow.
    if (size > SIZE_MAX / 2) unless_null(arena, NULL);
    reserve(arena, whole_size(size));
    return link_large(arena, unless_null(arena, calloc(1, whole_size(size))), size);
}

static void *resize_large(struct parser_arena *arena, void *memory, size_t size) {
    size_t old = header_of(memory)->size;
    if (size > SIZE_MAX / 2) unless_null(arena, NULL);
    reserve(arena, size - old);
    struct large *piece = large_of(memory);
    // If there is no memory, the old piece stays in the list.
    struct large *moved = realloc(piece, whole_size(size));
    if (!moved) return unless_null(arena, NULL);
    if (moved != piece) {
        if (moved->previous) moved->previous->next = moved;
        else arena->large = moved;
        if (moved->next) moved->next->previous = moved;
    }
    struct header *header = (struct header *) (moved + 1);
    header->size = size;
    return header + 1;
}

// Pieces.

void *arena_allocate(struct parser_arena *arena, size_t size) {
    count_work(arena, size);
    if (size > largest_small_piece - sizeof(struct header)) return allocate_large(arena, size);
    size_t needed = (size + sizeof(struct header) + 15) & ~(size_t) 15;
    void *piece = arena->free_pieces[needed / 16];
    if (piece) {
        memcpy(&arena->free_pieces[needed / 16], piece, sizeof(void *));
        memset(piece, 0, needed);
    } else {
        if (arena->remaining < needed) add_chunk(arena);
        piece = arena->next;
        arena->next += needed;
        arena->remaining -= needed;
    }
    struct header *header = piece;
    header->size = size;
    return header + 1;
}

void arena_give_back(struct parser_arena *arena, void *memory) {
    if (!memory) return;
    struct header *header = header_of(memory);
    if (header->size > largest_small_piece - sizeof *header) {
        struct large *piece = large_of(memory);
        unlink_large(arena, piece);
        release(arena, whole_size(header->size));
        free(piece);
        return;
    }
    // For a text of normal size, reuse costs more time than it saves.
    if (arena->chunk_count <= 16) return;
    size_t class = (header->size + sizeof *header + 15) / 16;
    memcpy(header, &arena->free_pieces[class], sizeof(void *));
    arena->free_pieces[class] = header;
}

void *arena_resize(struct parser_arena *arena, void *memory, size_t size) {
    if (!memory) return arena_allocate(arena, size);
    size_t old = header_of(memory)->size;
    if (size <= old) return memory;
    if (old > largest_small_piece - sizeof(struct header)) {
        count_work(arena, size);
        return resize_large(arena, memory, size);
    }
    void *grown = arena_allocate(arena, size);
    memcpy(grown, memory, old);
    arena_give_back(arena, memory);
    return grown;
}

struct parser_arena *parser_arena_new(void) {
    struct parser_arena *arena = calloc(1, sizeof *arena);
    if (!arena) abort();
    return arena;
}

void parser_arena_free(struct parser_arena *arena) {
    while (arena->chunks) {
        struct chunk *chunk = arena->chunks;
        arena->chunks = chunk->previous;
        recycle(chunk);
    }
    while (arena->large) {
        struct large *piece = arena->large;
        arena->large = piece->next;
        free(piece);
    }
    release(arena, arena->held);
    free(arena);
}

struct parser_arena *arena_in_use(void) { return current; }

struct parser_arena *parser_arena_use(struct parser_arena *arena) {
    struct parser_arena *outer = current;
    current = arena;
    return outer;
}

static void end_of_time(void *arena) { leave(arena, parser_excess_time); }

void *arena_guard(
    struct parser_arena *arena, size_t size, void *(*parse)(void *), void *input) {
    struct parser_arena *outer = parser_arena_use(arena);
    jmp_buf exit;
    void *volatile result = NULL;
    arena->exit = &exit;
    if (setjmp(exit) == 0 && parser_clock_start(size, end_of_time, arena)) result = parse(input);
    parser_clock_stop();
    arena->exit = NULL;
    parser_arena_use(outer);
    return result;
}
