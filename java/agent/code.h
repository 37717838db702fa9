/* The Code attribute: taken apart, copied instruction by instruction with others in between, put together
 * again.
 *
 * What a builder copies keeps its meaning wherever it comes to lie: branches, switches, exception tables, line
 * numbers, local variables and stack maps follow. What would not fit makes builder_finish fail. */
#pragma once
#include "classfile.h"
#include "opcodes.h"
#include "stackmap_full.h"

struct code {
    uint16_t max_stack, max_locals;
    struct span bytes;
    struct span handlers; /* eight bytes each */
    struct span attributes;
    uint16_t attribute_count;
};

bool code_read(struct code *code, struct span content);

/* A branch whose target is not known before everything has been copied. */
struct fixup {
    uint32_t instruction; /* where it is now */
    uint32_t field;       /* where its offset is */
    uint32_t target;      /* where it goes, in the old code */
    bool wide;
};

struct code_builder {
    const struct code *code;
    struct bytes out;
    uint32_t *moved; /* by old place: the new one; UINT32_MAX: no instruction begins there */
    struct fixup *fixups;
    size_t fixups_count, fixups_capacity;
    unsigned more_stack, more_locals;
    uint32_t cover_start, cover_end; /* an exception handler of ours, over these new places … */
    uint32_t handler;                /* … that begins here; 0: none */
    bool failed;
};

void builder_init(struct code_builder *builder, const struct code *code);
void builder_free(struct code_builder *builder);

/* From here on, branches to the instruction at `at` arrive. */
void builder_mark(struct code_builder *builder, size_t at);

/* Copies the instruction at `at`. */
void builder_copy(struct code_builder *builder, size_t at);

/* Appends the content of the new attribute; false when it cannot be made. With `frames` the attribute has or
 * may have a stack map; `throwable` is the pool's index of that class, for the handler's frame, `map_name` that
 * of "StackMapTable". */
struct code_frames {
    bool wanted;
    uint16_t throwable, map_name;
    struct shadows shadows; /* local variables of ours that hold something at every frame */
};
bool builder_finish(struct code_builder *builder, const struct pool *pool, const struct code_frames *frames,
                    struct bytes *to);

/* Source line of an old place, 0 if unknown: `tables` are the code's attributes. */
unsigned line_of(const struct code *code, const struct pool *pool, size_t at);
