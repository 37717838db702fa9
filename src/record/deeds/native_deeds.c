/* From raw records of a run to deeds: the same threads, blocks and objects get the same numbers in every run.
 */
#include "record/deeds/native_deeds.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SHIFT = 47, STACK_SLACK = 1 << 16, CACHE_LINE = 64 };

void deed_reader_init(struct deed_reader *r, struct deed_numbers *numbers, struct deeds *to)
{
    memset(r, 0, sizeof *r);
    memset(to, 0, sizeof *to);
    r->numbers = numbers;
    r->to = to;
    regions_init(&r->regions);
}

void deed_reader_free(struct deed_reader *r)
{
    regions_free(&r->regions);
    free(r->threads);
    map_free(&r->begun);
}

/* Remembers the first reason why something cannot be explored. */
static void miss(struct deed_reader *r, const char *what)
{
    if (!r->to->unsupported[0])
        snprintf(r->to->unsupported, sizeof r->to->unsupported, "%s", what);
}

static struct reader_thread *deed_thread_at(struct deed_reader *r, uint32_t thread)
{
    while (r->threads_count <= thread)
        ARRAY_PUSH(r, threads, (struct reader_thread){0});
    return &r->threads[thread];
}

/* Who it is in all runs. */
static uint32_t number_of(struct deed_reader *r, uint32_t thread)
{
    struct reader_thread *t = deed_thread_at(r, thread);

    if (!t->known) {
        if (thread != 0)
            miss(r, "threads that uninstrumented code creates");
        t->number = deed_thread(r->numbers, 0, thread + 1);
        t->known = true;
    }
    return t->number;
}

/* New memory: a block is identified by the thread that allocated it and its ordinal among that thread's
 * blocks. */
static void add_region(struct deed_reader *r, const struct record *record, enum region_kind kind)
{
    struct reader_thread *t = deed_thread_at(r, r->thread);
    uint32_t who[3] = {number_of(r, r->thread), kind == REGION_STACK, kind == REGION_STACK ? 0 : t->blocks++};
    struct region region = {.start = record->word & RECORD_ADDRESS,
                            .length = record->value,
                            .thread = r->thread,
                            .kind = kind,
                            .number = names_add(&r->numbers->places, (const char *)who, sizeof who)};

    if (kind == REGION_STACK) { /* its length is a guess, and may reach into the one below */
        uint64_t less = region.length / 4 < STACK_SLACK ? region.length / 4 : STACK_SLACK;
        region.start += less;
        region.length -= less;
    }
    regions_add(&r->regions, &region);
}

static void grow_region(struct deed_reader *r, const struct record *record)
{
    const struct region *old = regions_find(&r->regions, record->word & RECORD_ADDRESS);
    struct region grown;

    if (!old || old->start != (record->word & RECORD_ADDRESS)) {
        add_region(r, record, REGION_HEAP);
        return;
    }
    grown = *old;
    grown.length = record->value;
    regions_add(&r->regions, &grown);
}

/* The number that a place has in all runs. */
static uint64_t place_in_all_runs(struct deed_reader *r, uint64_t address)
{
    const struct region *region = address ? regions_find(&r->regions, address) : NULL;

    if (!region)
        return address;
    return (uint64_t)(region->number + 1) << BLOCK_SHIFT | (address - region->start);
}

static struct deed *add_deed(struct deed_reader *r, enum move_kind kind, const struct record *record)
{
    struct reader_thread *t = deed_thread_at(r, r->thread);
    struct deed d = {.move = {.kind = kind,
                              .ticks = (uint32_t)(r->tick - t->told),
                              .pc = record ? record->pc & RECORD_ADDRESS : 0},
                     .thread = number_of(r, r->thread)};

    t->told = r->tick;
    ARRAY_PUSH(r->to, deeds, d);
    r->to->ended = kind == MOVE_END;
    return &r->to->deeds[r->to->deeds_count - 1];
}

/* Whether the machine may make the access in several parts: not what fits a register and a line of the cache. */
static bool is_wide(uint64_t address, uint64_t length)
{
    return length > 8 || (length & (length - 1)) != 0 || address % CACHE_LINE + length > CACHE_LINE;
}

static void add_access(struct deed_reader *r, const struct record *record, unsigned kind)
{
    uint64_t length = record_size(record->word) ? record_size(record->word) : record->value;
    struct deed *d = add_deed(r,
                              kind == RECORD_READ                                   ? MOVE_READ
                              : kind == RECORD_WRITE || kind == RECORD_ATOMIC_WRITE ? MOVE_WRITE
                                                                                    : MOVE_ATOMIC,
                              record);

    d->move.at = place_in_all_runs(r, record->word & RECORD_ADDRESS);
    d->move.length = length;
    d->stored = record->value;
    d->valued = record_size(record->word) && record_size(record->word) <= 8 && record->pc & RECORD_VALUED;
    d->changes = kind == RECORD_RMW || kind == RECORD_CAS;
    d->wide = kind <= RECORD_WRITE && is_wide(record->word & RECORD_ADDRESS, length);
}

/* A structure's copy: its write was announced first. It reads and writes in one step, in this order. */
static void turn_copy(struct deed_reader *r)
{
    struct deed *deeds = r->to->deeds, *read = &deeds[r->to->deeds_count - 1], *write = read - 1, turned;

    if (r->to->deeds_count < 2 || write->thread != read->thread || write->move.kind != MOVE_WRITE)
        return;
    read->move.ticks += write->move.ticks;
    write->move.ticks = 0;
    turned = *read;
    *read = *write;
    *write = turned;
}

static const struct {
    uint8_t kind;
    uint8_t result;
} moves_of[RECORD_KINDS] = {
    [RECORD_FENCE] = {MOVE_FENCE, 0},
    [RECORD_ACQUIRE] = {MOVE_ACQUIRE, 1},
    [RECORD_SHARED_ACQUIRE] = {MOVE_SHARED_ACQUIRE, 1},
    [RECORD_RELEASE] = {MOVE_RELEASE, 0},
    [RECORD_SHARED_RELEASE] = {MOVE_SHARED_RELEASE, 0},
    [RECORD_TRY_FAIL] = {MOVE_TRY, 0},
    [RECORD_WAIT_PRE] = {MOVE_WAIT, 0},
    [RECORD_WAIT_POST] = {MOVE_WOKEN, 0},
    [RECORD_NOTIFY] = {MOVE_NOTIFY, 0},
    [RECORD_NOTIFY_ALL] = {MOVE_NOTIFY_ALL, 0},
    [RECORD_BARRIER_ENTER] = {MOVE_ENTER, 0},
    [RECORD_BARRIER_EXIT] = {MOVE_LEAVE, 0},
    [RECORD_POST] = {MOVE_POST, 0},
    [RECORD_SEM_WAIT] = {MOVE_TAKE, 1},
    [RECORD_SEM_FAIL] = {MOVE_TAKE, 0},
    [RECORD_SEM_VALUE] = {MOVE_COUNT, 0},
    [RECORD_FUTEX_WAIT] = {MOVE_WAIT, 0},
    [RECORD_FUTEX_WOKEN] = {MOVE_RESUME, 0},
    [RECORD_FUTEX_WAKE] = {MOVE_NOTIFY, 0},
    [RECORD_ONCE_RUN] = {MOVE_ONCE, 1},
    [RECORD_ONCE_SEEN] = {MOVE_ONCE, 0},
    [RECORD_ONCE_DONE] = {MOVE_ONCE_DONE, 0},
    [RECORD_NEW] = {MOVE_NEW, 0},
    [RECORD_OUTPUT] = {MOVE_OUTPUT, 0},
    [RECORD_END] = {MOVE_END, 0},
};

/* Operations on locks and semaphores that may fail or wait, and how the call handles that. */
static void set_tries(struct deed *d, uint64_t tries)
{
    bool semaphore = d->move.kind == MOVE_TAKE;

    if (d->move.kind == MOVE_SHARED_ACQUIRE)
        tries |= tries ? TRIES_SHARED : 0;
    if (tries & TRIES_ONCE)
        d->move.kind = semaphore ? MOVE_TAKE_TRY : MOVE_TRY;
    else if (tries & TRIES_FOR_A_TIME)
        d->move.kind = semaphore ? MOVE_TAKE_TIMED : MOVE_TIMED;
    d->move.value = (tries & TRIES_SHARED) != 0;
}

static void add_sync(struct deed_reader *r, const struct record *record, unsigned kind)
{
    struct deed *d = add_deed(r, moves_of[kind].kind, record);
    struct reader_thread *t = deed_thread_at(r, r->thread);

    d->result = moves_of[kind].result;
    d->move.at = place_in_all_runs(r, record->word & RECORD_ADDRESS);
    if (is_channel(record->word & RECORD_ADDRESS))
        miss(r, "pipes, sockets and files between threads");
    switch (kind) {
    case RECORD_ACQUIRE:
    case RECORD_SHARED_ACQUIRE:
        if (t->waiting && t->gave) {
            d->move.kind = MOVE_WAKE;
            d->move.value = t->timed;
            d->result = 0;
            t->wake = r->to->deeds_count;
        } else {
            set_tries(d, record->value);
        }
        break;
    case RECORD_TRY_FAIL:
    case RECORD_SEM_WAIT:
    case RECORD_SEM_FAIL:
        set_tries(d, record->value);
        break;
    case RECORD_WAIT_PRE:
        d->move.value = t->timed = record->value;
        t->waiting = true;
        t->gave = false;
        break;
    case RECORD_RELEASE:
        t->gave |= t->waiting;
        break;
    case RECORD_WAIT_POST:
        if (t->waiting && t->gave && t->wake)
            r->to->deeds[t->wake - 1].result = (uint32_t)record->value;
        t->waiting = t->gave = false;
        t->wake = 0;
        break;
    case RECORD_BARRIER_ENTER:
    case RECORD_SEM_VALUE:
        d->result = (uint32_t)record->value;
        break;
    case RECORD_FUTEX_WAIT:
        d->move.value = WAIT_AT_FUTEX;
        break;
    case RECORD_FUTEX_WAKE:
        d->move.kind = record->value & 1 ? MOVE_NOTIFY_ALL : MOVE_NOTIFY;
        d->move.value = 1;
        d->result = (uint32_t)(record->value >> 1);
        break;
    case RECORD_NEW:
    case RECORD_OUTPUT:
        d->move.value = record->value;
        break;
    default:
        break;
    }
}

static void add_thread(struct deed_reader *r, const struct record *record, bool fork)
{
    uint32_t maker = number_of(r, r->thread), other = (uint32_t)record->value;
    struct reader_thread *t = deed_thread_at(r, other);

    if (fork) {
        uint32_t ordinal = ++deed_thread_at(r, r->thread)->children;
        t->number = deed_thread(r->numbers, maker + 1, ordinal);
        t->known = true;
    }
    add_deed(r, fork ? MOVE_FORK : MOVE_JOIN, record)->move.at = number_of(r, other);
}

/* Whether a thread has ended is a variable that its end writes and others look at. */
static void add_life(struct deed_reader *r, const struct record *record, uint32_t thread, bool ends)
{
    uint32_t who[3] = {number_of(r, thread), 2, 0};
    struct deed *d = add_deed(r, ends ? MOVE_WRITE : MOVE_ATOMIC, record);

    d->move.at = (uint64_t)(names_add(&r->numbers->places, (const char *)who, sizeof who) + 1) << BLOCK_SHIFT;
    d->move.length = 1;
}

/* The guard of a static variable is also read as a byte, before the call that looks at it. */
static void add_guard(struct deed_reader *r, const struct record *record)
{
    struct deed *d = add_deed(r, MOVE_WRITE, record);

    d->move.at = place_in_all_runs(r, record->word & RECORD_ADDRESS);
    d->move.length = 1;
}

static void add_input(struct deed_reader *r, const struct record *record)
{
    struct deed *d = add_deed(r, MOVE_INPUT, NULL);

    d->move.value = record->word & RECORD_ADDRESS;
    d->stored = record->value;
    d->clock = d->move.value == INPUT_CLOCK;
}

/* The thread's position at the record; as keep_record has it. */
static bool follow_ticks(struct deed_reader *r, const struct record *record)
{
    switch (record_kind(record->word)) {
    case RECORD_TEXT:
        return false;
    case RECORD_THREAD:
        r->thread = (uint32_t)record->value;
        r->tick = deed_thread_at(r, r->thread)->ticks;
        r->to->last = number_of(r, r->thread);
        r->to->ended = false;
        break;
    case RECORD_STOP:
        r->tick = deed_thread_at(r, r->thread)->ticks = record->value >> 1;
        return false;
    case RECORD_TICKS:
        r->tick += record->value;
        break;
    default:
        break;
    }
    r->tick += record->pc >> RECORD_TICK_SHIFT;
    return true;
}

/* Whether the record says that something is done which was so before any thread of the run came to it: libraries do it when they are
 * loaded. Then all threads see the same, and it is no deed. */
static bool was_done_before(struct deed_reader *r, const struct record *record, unsigned kind)
{
    uint64_t object = record->word & RECORD_ADDRESS;

    if (kind == RECORD_ONCE_RUN)
        *map_at(&r->begun, object) = 1;
    return kind == RECORD_ONCE_SEEN && !map_get(&r->begun, object);
}

static void take_one(struct deed_reader *r, const struct record *record)
{
    unsigned kind = record_kind(record->word);

    if (!follow_ticks(r, record) || was_done_before(r, record, kind))
        return;
    if (kind == RECORD_END && record->value)
        add_life(r, record, r->thread, true);
    if (kind == RECORD_ONCE_DONE)
        add_guard(r, record);
    if (kind >= RECORD_READ && kind <= RECORD_CAS) {
        add_access(r, record, kind);
        if (kind == RECORD_READ && record->pc & RECORD_COPIES)
            turn_copy(r);
    } else if (kind == RECORD_FORK || kind == RECORD_JOIN)
        add_thread(r, record, kind == RECORD_FORK);
    else if (kind == RECORD_LOOK_ENDED)
        add_life(r, record, (uint32_t)record->value, false);
    else if (kind == RECORD_START)
        add_region(r, record, REGION_STACK);
    else if (kind == RECORD_ALLOC || kind == RECORD_MAP)
        add_region(r, record, kind == RECORD_MAP ? REGION_MAPPED : REGION_HEAP);
    else if (kind == RECORD_GROW)
        grow_region(r, record);
    else if (kind == RECORD_INPUT)
        add_input(r, record);
    else if (kind < RECORD_KINDS && (moves_of[kind].kind || moves_of[kind].result))
        add_sync(r, record, kind);
}

void deed_reader_take(void *reader, const struct record *records, size_t count)
{
    struct deed_reader *r = reader;

    for (size_t i = 0; i < count; i++)
        take_one(r, &records[i]);
}

static enum stuck_on stuck_on(uint32_t reason)
{
    switch (reason) {
    case WAIT_LOCK:
        return STUCK_LOCK;
    case WAIT_SEMAPHORE:
        return STUCK_SEMAPHORE;
    case WAIT_ONCE:
        return STUCK_ONCE;
    case WAIT_JOIN:
        return STUCK_JOIN;
    default:
        return STUCK_ELSEWHERE;
    }
}

void deed_reader_end(struct deed_reader *r, const struct session_thread *threads, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct session_thread *t = &threads[i];
        struct move stuck = {.kind = MOVE_STUCK, .value = stuck_on(t->reason)};
        if (t->id == 0 || t->state != STATE_BLOCKED || t->id - 1 >= r->threads_count ||
            !r->threads[t->id - 1].known || t->reason == WAIT_CONDITION || t->reason == WAIT_BARRIER ||
            t->reason == WAIT_FUTEX)
            continue;
        stuck.at = place_in_all_runs(r, t->key);
        if (t->reason == WAIT_JOIN)
            stuck.at = t->owner && t->owner - 1 < r->threads_count ? r->threads[t->owner - 1].number : 0;
        ARRAY_PUSH(r->to, stuck, (struct stuck_thread){r->threads[t->id - 1].number, t->vague != 0, stuck});
    }
}
