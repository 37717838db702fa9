/* The journal of a recorded run, to bytes and back. */
#include "trace/journal.h"
#include "base/memory.h"
#include "trace/htr_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FLAG_TWO_PASS = 1, FLAG_REAL_TIME = 2, FLAG_JAVA = 4, FLAG_STANDARD_INPUT = 8, FLAGS = 1 | 2 | 4 | 8 };

void journal_free(struct journal *j)
{
    for (size_t i = 0; i < j->modules_count; i++) {
        free(j->modules[i].path);
        free(j->modules[i].build);
    }
    free(j->threads);
    free(j->slices);
    free(j->modules);
    free(j->inputs);
    free(j->standard_input);
    free(j->java);
    memset(j, 0, sizeof *j);
}

struct journal_out {
    unsigned char *bytes;
    size_t bytes_count, bytes_capacity;
};

static void put(struct journal_out *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        ARRAY_PUSH(b, bytes, (unsigned char)(value | 0x80));
    ARRAY_PUSH(b, bytes, (unsigned char)value);
}

static void put_bytes(struct journal_out *b, const char *bytes, size_t length)
{
    put(b, length);
    for (size_t i = 0; i < length; i++)
        ARRAY_PUSH(b, bytes, (unsigned char)bytes[i]);
}

static void put_text(struct journal_out *b, const char *text)
{
    put_bytes(b, text, strlen(text));
}

static size_t threads_in_slices(const struct journal *j)
{
    size_t count = 0;

    for (size_t i = 0; i < j->slices_count; i++)
        count = j->slices[i].thread >= count ? (size_t)j->slices[i].thread + 1 : count;
    return count;
}

/* Positions only grow along a thread: the difference to its last one, plus one; 0 is the end of the process. */
static void put_slices(struct journal_out *b, const struct journal *j)
{
    uint64_t *last = memory_new(threads_in_slices(j), sizeof *last);

    put(b, j->slices_count);
    for (size_t i = 0; i < j->slices_count; i++) {
        const struct journal_slice *s = &j->slices[i];
        assert(s->position >= last[s->thread]); /* positions of a thread ascend */
        put(b, s->thread);
        put(b, s->position == JOURNAL_TO_THE_END ? 0 : s->position - last[s->thread] + 1);
        last[s->thread] = s->position;
    }
    free(last);
}

static void put_inputs(struct journal_out *b, const struct journal *j)
{
    uint64_t last[JOURNAL_INPUT_KINDS] = {0};

    put(b, j->inputs_count);
    for (size_t i = 0; i < j->inputs_count; i++) {
        const struct journal_input *in = &j->inputs[i];
        assert(in->kind < JOURNAL_INPUT_KINDS);
        put(b, in->thread);
        put(b, in->kind);
        put(b, htr_zigzag(in->value - last[in->kind]));
        last[in->kind] = in->value;
    }
}

unsigned char *journal_encode(const struct journal *j, size_t *length)
{
    struct journal_out b = {0};

    put(&b, (j->two_pass ? FLAG_TWO_PASS : 0) | (j->real_time ? FLAG_REAL_TIME : 0) |
                (j->has_standard_input ? FLAG_STANDARD_INPUT : 0) | (j->java ? FLAG_JAVA : 0));
    put(&b, j->seed);
    put(&b, j->policy);
    put(&b, j->status);
    put(&b, j->clocks[0]);
    put(&b, j->clocks[1]);
    put(&b, j->modules_count);
    for (size_t i = 0; i < j->modules_count; i++) {
        put_text(&b, j->modules[i].path);
        put_text(&b, j->modules[i].build);
    }
    put(&b, j->threads_count);
    for (size_t i = 0; i < j->threads_count; i++) {
        put(&b, j->threads[i].parent);
        put(&b, j->threads[i].ordinal);
        put(&b, j->threads[i].name);
    }
    put_slices(&b, j);
    put_inputs(&b, j);
    if (j->has_standard_input)
        put_bytes(&b, j->standard_input, j->standard_input_length);
    if (j->java)
        put_text(&b, j->java);
    *length = b.bytes_count;
    return b.bytes;
}

unsigned char *journal_encode_part(const struct journal *j, size_t *length)
{
    struct journal_out b = {0};

    put_slices(&b, j);
    put_inputs(&b, j);
    *length = b.bytes_count;
    return b.bytes;
}

/* A number of at most `most`. */
static bool get(struct payload *p, uint64_t most, uint64_t *value)
{
    return get_varint(p, value) && *value <= most;
}

static bool get_u32(struct payload *p, uint32_t *value)
{
    uint64_t wide;

    if (!get(p, UINT32_MAX, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

/* How many parts of at least `size` bytes follow. */
static bool get_count(struct payload *p, size_t size, uint64_t *count)
{
    return get_varint(p, count) && *count <= (size_t)(p->end - p->at) / size;
}

static bool get_text(struct payload *p, char **text)
{
    uint64_t length;

    if (!get_count(p, 1, &length) || memchr(p->at, '\0', length))
        return false;
    *text = memory_text((const char *)p->at, length);
    p->at += length;
    return true;
}

static bool get_modules(struct payload *p, struct journal *j)
{
    uint64_t count;

    if (!get_count(p, 2, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        ARRAY_PUSH(j, modules, (struct journal_module){0});
        if (!get_text(p, &j->modules[i].path) || !get_text(p, &j->modules[i].build))
            return false;
    }
    return true;
}

static bool get_threads(struct payload *p, struct journal *j)
{
    uint64_t count;

    if (!get_count(p, 3, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct journal_thread t;
        if (!get_u32(p, &t.parent) || !get_u32(p, &t.ordinal) || !get_u32(p, &t.name) || t.parent > count)
            return false;
        ARRAY_PUSH(j, threads, t);
    }
    return true;
}

/* `last` is 0 for each thread, before and after. */
static bool get_slices(struct payload *p, struct journal *j, uint64_t *last)
{
    size_t first = j->slices_count;
    uint64_t count = 0;
    bool good = get_count(p, 2, &count);

    for (uint64_t i = 0; i < count && good; i++) {
        struct journal_slice s = {0};
        uint64_t more = 0;
        good = get_u32(p, &s.thread) && s.thread < j->threads_count && get_varint(p, &more) &&
               last[s.thread] != JOURNAL_TO_THE_END;
        if (!good)
            break;
        s.position = more == 0 ? JOURNAL_TO_THE_END : last[s.thread] + more - 1;
        good = s.position >= last[s.thread];
        last[s.thread] = s.position;
        ARRAY_PUSH(j, slices, s);
    }
    for (size_t i = first; i < j->slices_count; i++)
        last[j->slices[i].thread] = 0;
    return good;
}

static bool get_inputs(struct payload *p, struct journal *j)
{
    uint64_t last[JOURNAL_INPUT_KINDS] = {0}, count;

    if (!get_count(p, 3, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct journal_input in;
        if (!get_u32(p, &in.thread) || in.thread >= j->threads_count || !get_u32(p, &in.kind) ||
            in.kind >= JOURNAL_INPUT_KINDS || !get_varint(p, &in.value))
            return false;
        last[in.kind] = in.value = last[in.kind] + htr_unzigzag(in.value);
        ARRAY_PUSH(j, inputs, in);
    }
    return true;
}

/* The parts, then the journal's own content. */
static bool get_run(struct payload *p, struct payload parts, struct journal *j)
{
    uint64_t *last = memory_new(j->threads_count, sizeof *last);
    bool good = true;

    while (good && parts.at < parts.end)
        good = get_slices(&parts, j, last) && get_inputs(&parts, j);
    good = good && get_slices(p, j, last) && get_inputs(p, j);
    free(last);
    return good;
}

static bool skip_numbers(struct payload *p, size_t numbers)
{
    uint64_t count, unused;

    if (!get_count(p, numbers, &count))
        return false;
    for (uint64_t i = 0; i < count * numbers; i++)
        if (!get_varint(p, &unused))
            return false;
    return true;
}

size_t journal_part_length(const unsigned char *bytes, size_t length)
{
    struct payload p = {bytes, bytes + length};

    return skip_numbers(&p, 2) && skip_numbers(&p, 3) ? (size_t)(p.at - bytes) : 0;
}

static bool get_standard_input(struct payload *p, struct journal *j)
{
    uint64_t length = 0;

    if (!j->has_standard_input)
        return true;
    if (!get_count(p, 1, &length))
        return false;
    j->standard_input = memory_text((const char *)p->at, length);
    j->standard_input_length = length;
    p->at += length;
    return true;
}

static bool get_flags(struct payload *p, struct journal *j)
{
    uint64_t flags;

    if (!get(p, FLAGS, &flags) || flags & ~(uint64_t)FLAGS)
        return false;
    j->two_pass = flags & FLAG_TWO_PASS;
    j->real_time = flags & FLAG_REAL_TIME;
    j->has_standard_input = flags & FLAG_STANDARD_INPUT;
    return true;
}

bool journal_is_java(const unsigned char *bytes, size_t length)
{
    return bytes && length > 0 && (bytes[0] & FLAG_JAVA);
}

enum status journal_decode(struct journal *j, const struct journal_bytes *from, struct error *err)
{
    struct payload p = {from->bytes, from->bytes + from->length};
    struct payload parts = {from->parts, from->parts ? from->parts + from->parts_length : NULL};

    memset(j, 0, sizeof *j);
    if (get_flags(&p, j) && get_varint(&p, &j->seed) && get_u32(&p, &j->policy) && get_u32(&p, &j->status) &&
        get_varint(&p, &j->clocks[0]) && get_varint(&p, &j->clocks[1]) && get_modules(&p, j) &&
        get_threads(&p, j) && get_run(&p, parts, j) && get_standard_input(&p, j) &&
        (!(from->bytes[0] & FLAG_JAVA) || get_text(&p, &j->java)) && p.at == p.end)
        return HEDDLE_OK;
    journal_free(j);
    return fail(err, HEDDLE_BAD_TRACE, "the journal of the run is damaged");
}
