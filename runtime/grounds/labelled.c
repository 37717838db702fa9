/* Hooks that know labels, where what they are for is recorded: what an event stands on goes into the log with it. */
#include "runtime/access.h"
#include "runtime/grounds/decisions.h"
#include "runtime/grounds/ground_records.h"
#include "runtime/grounds/taint.h"
#include "runtime/sched/follow_script.h"

/* Of the last decision the event's own record can tell, most often. */
static uint64_t tell_last(uint64_t bits)
{
    struct ground_state *s = &ground_state;
    uint32_t label = s->decides;

    s->decides = 0;
    if (label == 0 || s->all)
        return 0;
    if (bits & RECORD_GROUNDED && label == s->last - ((bits & RECORD_LABELLED) != 0))
        return RECORD_LAST_DECIDES;
    append_bare(record_word(label, RECORD_BY, 0), 0, 0);
    return 0;
}

uint64_t grounds_flush(uint64_t bits)
{
    struct ground_state *s = &ground_state;
    uint64_t more;

    grounds_tell_records();
    more = tell_last(bits);
    if (s->all)
        append_bare(record_word(0, RECORD_BY_ALL, 0), 0, 0);
    if (s->from || s->from_how)
        append_bare(record_word(s->from, RECORD_FROM, s->from_how), 0, s->from_old);
    s->from = s->from_how = 0;
    s->from_old = 0;
    s->all = s->telling = false;
    return more;
}

/* The streams of the C++ library, where the program has them. */
extern const char standard_output[] __asm__("_ZSt4cout") __attribute__((weak));
extern const char standard_error[] __asm__("_ZSt4cerr") __attribute__((weak));
extern const char standard_log[] __asm__("_ZSt4clog") __attribute__((weak));

static bool is_standard_stream(const void *stream)
{
    return stream && (stream == standard_output || stream == standard_error || stream == standard_log);
}

void heddle_print_end_1(const void *callee, const void *stream)
{
    if (grounds.callee != callee)
        heddle_barrier_1();
    grounds.callee = NULL;
    if (ground_state.telling && local.turn && grounds_on()) {
        grounds_add_record(record_word(0, RECORD_PRINTED, is_standard_stream(stream) ? 1 : 2), 0, 0);
        grounds_tell_records();
    }
}

/* The label of what is written next. */
static uint32_t given_label(uint32_t label)
{
    if (label != LABEL_COPY)
        return label;
    return ground_state.last < LABEL_LAST ? ground_state.last + 1 : LABEL_ALL;
}

void grounds_tell_value(uint32_t label)
{
    label = given_label(label);
    INVARIANT(!ground_state.from_how); /* the label of a write is logged before the next one */
    ground_state.from = label;
    ground_state.telling |= label != 0;
}

/* Of several granules only some may be recorded at other times: what is known of the others is kept, too. */
static bool crosses_granules(uint64_t address, uint64_t length)
{
    return rt.mode == SESSION_FILTER && (address & 7) + length > 8;
}

/* The record that waits is for an event that can tell it in the upper half of its value. */
static uint64_t take_waiting(uint32_t told, uint64_t *bits)
{
    if (told == 0)
        return 0;
    INVARIANT(ground_state.waiting > 0);
    ground_state.waiting--;
    *bits |= RECORD_MADE;
    return (uint64_t)told << RECORD_MADE_SHIFT;
}

/* The record of a union, whose label is `made`, as the next event tells it. 0: it cannot. */
static uint32_t told_union(const struct record *r, uint32_t made)
{
    if (record_kind(r->word) != RECORD_UNION)
        return 0;
    return union_told(made - 1, (uint32_t)r->word, (uint32_t)r->value);
}

/* The last record that waits, if the record of a read can tell it: a decision or a union. */
static uint64_t take_last(unsigned size, uint64_t *bits)
{
    struct ground_state *s = &ground_state;
    const struct record *last = s->waiting ? &s->records[s->waiting - 1] : NULL;
    uint32_t before = s->last - ((*bits & RECORD_LABELLED) != 0);

    if (!last || size > RECORD_MADE_SIZE)
        return 0;
    if (record_decides(last) && last->value == 0)
        return take_waiting(label_distance(before, (uint32_t)(last->word & RECORD_ADDRESS)), bits);
    return take_waiting(told_union(last, before), bits);
}

/* What a write is made of: most often the last label, and then its union, too. */
static uint64_t tell_made(uint32_t label, uint64_t *bits)
{
    struct ground_state *s = &ground_state;
    uint32_t told =
        s->waiting && (label & LABEL_READS) == s->last ? told_union(&s->records[s->waiting - 1], s->last) : 0;

    INVARIANT(!tells_union(label));
    if (told)
        return take_waiting(told | (label & LABEL_LINEAR ? UNION_LINEAR : 0), bits);
    *bits |= RECORD_MADE;
    return (uint64_t)label_distance(s->last, given_label(label)) << RECORD_MADE_SHIFT;
}

uint32_t heddle_labelled_read_1(uint64_t address, unsigned size, uintptr_t pc)
{
    uint32_t label = 0;
    uint64_t made = 0, bits = UNLIKELY(rt.exploring) && hot.wrote ? script_copies(pc) : 0;

    if (!wanted(address, size, false))
        return grounds_finish_copy(taint_read(address, size));
    if (grounds_on()) {
        bits |= RECORD_GROUNDED;
        label = grounds_new_label();
        if (label != LABEL_ALL) {
            bits |= RECORD_LABELLED;
            label |= LABEL_LINEAR | LABEL_EQUAL;
        }
        made = take_last(size, &bits);
    }
    read_value(append(record_word(address, RECORD_READ, size), pc | bits, made), address, size);
    if (crosses_granules(address, size))
        label = label_union(label, taint_read(address, size));
    return grounds_finish_copy(label);
}

void heddle_labelled_write_1(uint64_t address, unsigned size, uint32_t label, uintptr_t pc)
{
    uint64_t bits = 0, made = 0;

    if (wanted(address, size, true)) {
        settle();
        if (grounds_on()) {
            bits = RECORD_GROUNDED;
            if (label && size <= RECORD_MADE_SIZE)
                made = tell_made(label, &bits);
            else
                grounds_tell_value(label);
        }
        rt.pending = append(record_word(address, RECORD_WRITE, size), pc | bits, made);
        if (crosses_granules(address, size))
            grounds_keep_taint(address, size, label);
    } else {
        grounds_keep_taint(address, size, label);
    }
    if (UNLIKELY(rt.scripted || rt.exploring))
        script_note_write((const void *)address, size, pc);
}

LABEL_FUNCTIONS(EXPORT)

static uint32_t read_range(const void *at, size_t length, uintptr_t pc)
{
    uint32_t label = 0; /* unless it is recorded */

    hook_range(at, length, false, pc, grounds_on() ? &label : NULL);
    if (rt.mode == SESSION_FILTER)
        label = label_union(label, taint_read((uint64_t)(uintptr_t)at, length));
    return grounds_finish_copy(label);
}

static void write_range(const void *at, size_t length, uint32_t label, uintptr_t pc)
{
    uint32_t given = label;

    hook_range(at, length, true, pc, grounds_on() ? &given : NULL);
    ground_state.from = 0;
    if (rt.mode == SESSION_FILTER)
        grounds_keep_taint((uint64_t)(uintptr_t)at, length, label);
}

EXPORT uint32_t heddle_label_read_range_1(const void *at, size_t length)
{
    return read_range(at, length, CALLER);
}

EXPORT void heddle_label_write_range_1(const void *at, size_t length, uint32_t label)
{
    write_range(at, length, label, CALLER);
}

EXPORT uint32_t heddle_label_read16_1(const void *at)
{
    return read_range(at, 16, CALLER);
}

EXPORT void heddle_label_write16_1(const void *at, uint32_t label)
{
    write_range(at, 16, label, CALLER);
}

/* Only a change of the table pointer is a write, as in __tsan_vptr_update. */
EXPORT void heddle_label_table_1(void **at, const void *table)
{
    if (*at != table)
        label_write((uint64_t)(uintptr_t)at, 8, 0, HOT_CALLER);
}
