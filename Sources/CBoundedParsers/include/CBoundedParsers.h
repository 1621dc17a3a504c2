// cmark-gfm with limits on the memory and the time of one document.
//
// It cannot be told that there is no more memory or time. So an allocation over the limit, and the
// signal of a timer, leave it by longjmp, and the arena frees what it had. This is a C target because
// longjmp must not cross a frame of Swift.
//
// That is sound because cmark takes all its memory from the arena and holds no lock. A process for
// each document would be slower and no safer.
#ifndef IMGBAKE_CBOUNDEDPARSERS_H
#define IMGBAKE_CBOUNDEDPARSERS_H

#include <stdbool.h>
#include <stddef.h>

struct cmark_node;
struct cmark_parser;
struct cmark_syntax_extension;

/// The limits of the parsers on the current thread; 0 is none.
///
/// All arenas that the thread makes until `parser_limits_end` count together.
struct parser_limits {
    /// The memory at any time, in bytes.
    size_t memory;
    /// All memory ever given out, in bytes, which bounds the time for copies.
    size_t work;
    /// The processor time of the parsers, in milliseconds.
    size_t milliseconds;
    /// The places that may name an image.
    size_t places;
};

enum parser_excess {
    parser_excess_none = 0,
    parser_excess_memory,
    parser_excess_work,
    parser_excess_time,
    parser_excess_tables,
    parser_excess_places,
};

void parser_limits_begin(struct parser_limits limits);
/// Reports that a text exceeds a limit that the caller checked; the first report counts.
void parser_limits_exceed(enum parser_excess excess);
/// Counts a place that may name an image; false if there are too many.
bool parser_limits_take_place(void);
bool parser_limits_are_exceeded(void);
enum parser_excess parser_limits_end(void);

/// The memory of one tree, which is freed all at once.
///
/// An arena must be used and freed on the thread that made it.
struct parser_arena;

struct parser_arena *parser_arena_new(void);
void parser_arena_free(struct parser_arena *arena);

/// Makes cmark allocate from `arena` on this thread.
///
/// Outside of a parser, an allocation over a limit succeeds, and the limit counts as exceeded.
/// Returns the arena that was used before, for a second call.
struct parser_arena *parser_arena_use(struct parser_arena *arena);

/// Reads the blocks of a Markdown text.
///
/// Returns NULL if a limit is exceeded; the arena can then only be freed.
struct cmark_parser *parser_begin_markdown(
    struct parser_arena *arena, struct cmark_syntax_extension *const *extensions, size_t count,
    const char *text, size_t size);

/// Reads the inlines, and frees the parser.
///
/// cmark uses global variables meanwhile, so only one thread may be in this function. Returns NULL
/// if a limit is exceeded.
struct cmark_node *parser_finish_markdown(
    struct parser_arena *arena, struct cmark_parser *parser, size_t size);

#endif
