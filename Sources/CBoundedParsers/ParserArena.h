#ifndef IMGBAKE_PARSERARENA_H
#define IMGBAKE_PARSERARENA_H

#include "CBoundedParsers.h"

// The memory is zero, except what `arena_resize` adds.
void *arena_allocate(struct parser_arena *arena, size_t size);
void *arena_resize(struct parser_arena *arena, void *memory, size_t size);
void arena_give_back(struct parser_arena *arena, void *memory);

// The arena of the current thread that cmark uses.
struct parser_arena *arena_in_use(void);

// Calls `parse` for a text of `size` bytes. An allocation over a limit returns from it at once with
// NULL, and so does the end of the time.
void *arena_guard(
    struct parser_arena *arena, size_t size, void *(*parse)(void *), void *input);

#endif
