/* Labels and decisions of a thread until its next event, and labels of what it alone can see.
 *
 * Code that is in the place of hooks calls this and expects that registers of vectors are kept: this file is
 * compiled to use none, and calls others by in_place.h only. */
#include "runtime/grounds/decisions.h"
#include "runtime/access.h"
#include "runtime/grounds/ground_records.h"
#include "runtime/grounds/taint.h"
#include "runtime/in_place.h"

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

void grounds_tell_records(void)
{
    struct ground_state *s = &ground_state;

    INVARIANT(local.turn && s->waiting <= GROUND_WAITING);
    for (uint32_t i = 0; i < s->waiting; i++) {
        if (UNLIKELY(rt.next == rt.limit))
            kept_next_chunk();
        INVARIANT(rt.next != rt.limit);
        append_bare(s->records[i].word, s->records[i].pc, s->records[i].value);
    }
    s->waiting = 0;
}

/* False when there is no room: only the thread with the turn may write to the log at once. */
bool grounds_add_record(uint64_t word, uint64_t pc, uint64_t value)
{
    struct ground_state *s = &ground_state;

    INVARIANT(s->waiting <= GROUND_WAITING);
    if (s->waiting == GROUND_WAITING && local.turn)
        grounds_tell_records();
    if (s->waiting == GROUND_WAITING)
        return false;
    s->records[s->waiting++] = (struct record){word, pc, value};
    s->telling = true;
    return true;
}

void heddle_barrier_1(void)
{
    grounds.vouch = 0;
    if (grounds_on())
        ground_state.all = ground_state.telling = true;
}

/* In their order. Two plain decisions share one record. */
static void put_decision(uint32_t label, uint32_t how, uint64_t value, uint64_t constant)
{
    struct ground_state *s = &ground_state;
    struct record *last = s->waiting ? &s->records[s->waiting - 1] : NULL;

    if (!how && last && record_decides(last) && last->value == 0)
        last->value = label;
    else if (!grounds_add_record(record_word(label, RECORD_BY, how), constant, value))
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
    if (!grounds_add_record(record_word((uint64_t)(uintptr_t)at, RECORD_BY_MEMORY, 0), 0, size))
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
        grounds_add_record(record_word(reads, RECORD_PRINTED, 0), 0, 0);
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
    if (ground_state.last == LABEL_LAST || !grounds_add_record(record_word(one, RECORD_UNION, 0), 0, other))
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

/* The label of a copy's value is that of the read that comes next. */
static void keep_copy(uint64_t address, uint64_t length)
{
    if (!grounds_on())
        return;
    ground_state.copy = address;
    ground_state.copy_length = length;
    taint_ask();
}

void grounds_keep_taint(uint64_t address, uint64_t length, uint32_t label)
{
    taint_write(address, length, label == LABEL_COPY ? 0 : label);
    if (label == LABEL_COPY)
        keep_copy(address, length);
}

uint32_t grounds_finish_copy(uint32_t label)
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
    return grounds_finish_copy(taint_read_own(address, size));
}

void heddle_private_write_1(uint64_t address, unsigned size, uint32_t label)
{
    hot.budget--;
    hot.wrote = true;
    taint_write_own(address, size, label == LABEL_COPY ? 0 : label);
    if (label == LABEL_COPY)
        keep_copy(address, size);
}
