/* Writes labels and decisions to the log. */
#include "runtime/grounds/decisions.h"
#include "runtime/access.h"
#include "runtime/grounds/taint.h"
#include "runtime/sched/follow_script.h"

_Thread_local struct ground_words grounds;
_Thread_local struct ground_state ground_state;

bool grounds_on(void)
{
    return rt.grounds && (rt.mode == SESSION_ALL || rt.mode == SESSION_FILTER);
}

uint32_t grounds_new_label(void)
{
    return ground_state.last < LABEL_LAST ? ++ground_state.last : LABEL_ALL;
}

static void tell_records(void)
{
    struct ground_state *s = &ground_state;

    INVARIANT(local.turn && s->waiting <= GROUND_WAITING);
    for (uint32_t i = 0; i < s->waiting; i++)
        append_bare(s->records[i].word, s->records[i].pc, s->records[i].value);
    s->waiting = 0;
}

/* False when there is no room: only the thread with the turn may write to the log at once. */
static bool add_record(uint64_t word, uint64_t pc, uint64_t value)
{
    struct ground_state *s = &ground_state;

    INVARIANT(s->waiting <= GROUND_WAITING);
    if (s->waiting == GROUND_WAITING && local.turn)
        tell_records();
    if (s->waiting == GROUND_WAITING)
        return false;
    s->records[s->waiting++] = (struct record){word, pc, value};
    s->telling = true;
    return true;
}

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

    tell_records();
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

void heddle_barrier_1(void)
{
    grounds.vouch = 0;
    if (grounds_on())
        ground_state.all = ground_state.telling = true;
}

static bool is_plain_decision(const struct record *r)
{
    return record_kind(r->word) == RECORD_BY && record_size(r->word) == 0;
}

/* In their order. Two plain decisions share one record. */
static void put_decision(uint32_t label, uint32_t how, uint64_t value, uint64_t constant)
{
    struct ground_state *s = &ground_state;
    struct record *last = s->waiting ? &s->records[s->waiting - 1] : NULL;

    if (!how && last && is_plain_decision(last) && last->value == 0)
        last->value = label;
    else if (!add_record(record_word(label, RECORD_BY, how), constant, value))
        s->all = s->telling = true;
}

/* Once every read decides, nothing else needs to be logged. */
static void add_decision(uint32_t label, uint32_t how, uint64_t value, uint64_t constant)
{
    struct ground_state *s = &ground_state;

    if (s->decides && !s->all)
        put_decision(s->decides, 0, 0, 0);
    s->decides = 0;
    if (s->all)
        return;
    if (label == LABEL_ALL)
        s->all = s->telling = true;
    else if (!how && label == s->last)
        s->decides = label, s->telling = true;
    else
        put_decision(label, how, value, constant);
}

static void decide(uint32_t label)
{
    uint32_t reads = label & LABEL_READS, *known = &ground_state.decided[reads % GROUND_DECIDED];

    if (reads == 0 || (*known == reads && reads != LABEL_ALL))
        return;
    *known = reads;
    add_decision(reads, 0, 0, 0);
}

void heddle_decided_1(uint32_t one, uint32_t other)
{
    if (!grounds_on())
        return;
    decide(one);
    decide(other);
}

void grounds_decided_by_memory(const void *at, unsigned size)
{
    if (!add_record(record_word((uint64_t)(uintptr_t)at, RECORD_BY_MEMORY, 0), 0, size))
        ground_state.all = ground_state.telling = true;
}

/* That it is printed is only for reports: without room for it, nothing is said. */
void heddle_printed_1(uint32_t label)
{
    uint32_t reads = label & LABEL_READS;

    if (!grounds_on() || reads == 0)
        return;
    decide(label);
    if (reads != LABEL_ALL)
        add_record(record_word(reads, RECORD_PRINTED, 0), 0, 0);
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
        add_record(record_word(0, RECORD_PRINTED, is_standard_stream(stream) ? 1 : 2), 0, 0);
        tell_records();
    }
}

/* The other way round: a < b is b > a. */
static uint32_t mirrored(uint32_t how)
{
    static const uint8_t mirror[] = {0, 1, 4, 5, 2, 3, 0, 0};

    INVARIANT((how & 7) < 6);
    return (how & ~UINT32_C(7)) | mirror[how & 7];
}

static void compare(uint32_t label, uint64_t value, uint64_t constant, uint32_t how)
{
    uint32_t reads = label & LABEL_READS;

    if (!(label & LABEL_LINEAR))
        decide(label);
    else if (ground_state.decided[reads % GROUND_DECIDED] != reads)
        add_decision(label, how | SESSION_COMPARED, value, constant);
}

void heddle_compared_1(uint32_t one, uint64_t left, uint32_t other, uint64_t right, uint32_t how)
{
    if (!grounds_on())
        return;
    if (other == 0) {
        compare(one, left, right, how);
    } else if (one == 0) {
        compare(other, right, left, mirrored(how));
    } else {
        decide(one);
        decide(other);
    }
}

/* A label for both. With bits that say that they are linear, it is one of their sum. */
static uint32_t unite(uint32_t one, uint32_t other)
{
    uint32_t slot = (one * 31 + other) % GROUND_UNIONS, both;

    if (!grounds_on())
        return 0;
    if ((one & LABEL_READS) == LABEL_ALL || (other & LABEL_READS) == LABEL_ALL)
        return LABEL_ALL;
    if (ground_state.unions[slot].one == one && ground_state.unions[slot].other == other)
        return ground_state.unions[slot].both;
    if (ground_state.last == LABEL_LAST || !add_record(record_word(one, RECORD_UNION, 0), 0, other))
        return LABEL_ALL;
    INVARIANT(ground_state.last < LABEL_LAST);
    both = grounds_new_label();
    ground_state.unions[slot].one = one;
    ground_state.unions[slot].other = other;
    ground_state.unions[slot].both = both;
    return both;
}

uint32_t heddle_united_1(uint32_t one, uint32_t other)
{
    return unite(one, other);
}

/* If one of the two stands for no read, the sum is the other plus a constant; the recorder finds that out. */
uint32_t heddle_summed_1(uint32_t one, uint32_t other)
{
    uint32_t both;

    if (!((one | other) & LABEL_LINEAR) || (one & LABEL_READS) == (other & LABEL_READS))
        return label_union(one, other);
    both = unite(one & ~LABEL_EQUAL, other & ~LABEL_EQUAL);
    return both == LABEL_ALL || both == 0 ? both : both | LABEL_LINEAR;
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

/* The label of a copy's value is that of the read that comes next. */
static void keep_copy(uint64_t address, uint64_t length)
{
    if (!grounds_on())
        return;
    ground_state.copy = address;
    ground_state.copy_length = length;
    taint_ask();
}

static void keep_taint(uint64_t address, uint64_t length, uint32_t label)
{
    taint_write(address, length, label == LABEL_COPY ? 0 : label);
    if (label == LABEL_COPY)
        keep_copy(address, length);
}

static uint32_t finish_copy(uint32_t label)
{
    if (UNLIKELY(ground_state.copy_length)) {
        taint_write(ground_state.copy, ground_state.copy_length, label);
        ground_state.copy_length = 0;
        taint_begin();
    }
    return label;
}

uint32_t heddle_private_read_1(uint64_t address, unsigned size)
{
    hot.budget--;
    hot.wrote = false;
    return finish_copy(taint_read_own(address, size));
}

void heddle_private_write_1(uint64_t address, unsigned size, uint32_t label)
{
    hot.budget--;
    hot.wrote = true;
    taint_write_own(address, size, label == LABEL_COPY ? 0 : label);
    if (label == LABEL_COPY)
        keep_copy(address, size);
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
    if (is_plain_decision(last) && last->value == 0)
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
        return finish_copy(taint_read(address, size));
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
    return finish_copy(label);
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
            keep_taint(address, size, label);
    } else {
        keep_taint(address, size, label);
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
    return finish_copy(label);
}

static void write_range(const void *at, size_t length, uint32_t label, uintptr_t pc)
{
    uint32_t given = label;

    hook_range(at, length, true, pc, grounds_on() ? &given : NULL);
    ground_state.from = 0;
    if (rt.mode == SESSION_FILTER)
        keep_taint((uint64_t)(uintptr_t)at, length, label);
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
        label_write(at, 8, 0);
}
