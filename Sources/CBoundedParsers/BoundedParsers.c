#include "ParserArena.h"
#include "ParserClock.h"

#include <cmark-gfm.h>
#include <cmark-gfm-extension_api.h>
#include <stdint.h>

// cmark's allocation functions have no parameter for the arena. The clock must not end them half-way.

static void *calloc_for_cmark(size_t count, size_t size) {
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) whole = SIZE_MAX;
    parser_clock_hold();
    void *memory = arena_allocate(arena_in_use(), whole);
    parser_clock_release();
    return memory;
}

static void *realloc_for_cmark(void *memory, size_t size) {
    parser_clock_hold();
    void *resized = arena_resize(arena_in_use(), memory, size);
    parser_clock_release();
    return resized;
}

static void free_for_cmark(void *memory) {
    parser_clock_hold();
    arena_give_back(arena_in_use(), memory);
    parser_clock_release();
}

static cmark_mem memory_of_cmark = {calloc_for_cmark, realloc_for_cmark, free_for_cmark};

struct markdown {
    cmark_syntax_extension *const *extensions;
    size_t count;
    const char *text;
    size_t size;
};

static void *begin_markdown(void *input) {
    struct markdown *markdown = input;
    cmark_parser *parser = cmark_parser_new_with_mem(CMARK_OPT_FOOTNOTES, &memory_of_cmark);
    for (size_t index = 0; index < markdown->count; index++)
        cmark_parser_attach_syntax_extension(parser, markdown->extensions[index]);
    cmark_parser_feed(parser, markdown->text, markdown->size);
    return parser;
}

cmark_parser *parser_begin_markdown(
    struct parser_arena *arena, cmark_syntax_extension *const *extensions, size_t count,
    const char *text, size_t size) {
    struct markdown markdown = {extensions, count, text, size};
    return arena_guard(arena, size, begin_markdown, &markdown);
}

// If a limit ends this function, cmark's table of special characters keeps those of the extensions.
// That does no harm: every text is parsed with the same extensions.
static void *finish_markdown(void *parser) {
    cmark_node *root = cmark_parser_finish(parser);
    cmark_parser_free(parser);
    return root;
}

cmark_node *parser_finish_markdown(
    struct parser_arena *arena, cmark_parser *parser, size_t size) {
    return arena_guard(arena, size, finish_markdown, parser);
}
