/* From raw records to a trace: the second walk. */
#include "record/convert/convert.h"
#include "base/memory.h"
#include "record/convert/walk.h"

#include <string.h>

thread_id converted_thread(struct converter *c, uint32_t thread)
{
    char text[512];
    uint32_t *id;

    while (c->threads_count <= thread)
        ARRAY_PUSH(c, threads, 0);
    id = &c->threads[thread];
    if (*id == 0) {
        naming_thread(&c->naming, thread, text, sizeof text);
        *id = names_add(&c->trace.names[NAME_THREAD], text, strlen(text)) + 1;
    }
    return *id - 1;
}

void converter_put_event(struct converter *c, struct event *e)
{
    thread_id running = e->thread;
    struct error err;

    if (op_kind(e->op) == EVENT_RELEASE) { /* released by another thread: the trace shows the holder */
        const struct validator *v = &c->validator;
        if (e->arg < v->lock_capacity && v->locks[e->arg].exclusive > 0)
            e->thread = v->locks[e->arg].owner;
    }
    if (!validator_quick(&c->validator, e) && validator_event(&c->validator, e, &err) != HEDDLE_OK) {
        if (c->result->refused++ == 0)
            snprintf(c->result->refusal, sizeof c->result->refusal, "%.500s", err.text);
        return;
    }
    if (e->thread != running)
        e->grounds = GROUNDS_NONE; /* they are of the running thread */
    else if (!kind_accesses(op_kind(e->op)))
        grounding_event(grounding_now(c), e);
    if (c->callers.stacks)
        htr_stack(c->writer, callers_of(&c->callers, c->naming.symbols, c->thread, c->pc));
    htr_append(c->writer, e);
    keep_event(c, e->thread == running);
    c->result->events++;
    polls_put(&c->polls, e, (uint32_t)c->result->events);
    if (e->thread == running)
        grounding_put(grounding_now(c), e, (uint32_t)c->result->events);
}

/* A declared block whose name has been read; some characters of it mean something else in a trace. */
static void write_block(struct converter *c)
{
    static const uint8_t kinds[] = {EVENT_BEGIN, EVENT_END, EVENT_DET_BEGIN, EVENT_DET_END};
    struct event e = converted_event_at(c, &c->block, kinds[record_kind(c->block.word) - RECORD_BLOCK]);

    for (size_t i = 0; i < c->path_count; i++)
        if ((unsigned char)c->path[i] < ' ' || strchr("|()=", c->path[i]))
            c->path[i] = '_';
    if (c->path_count > 0)
        e.arg = names_add(&c->trace.names[NAME_BLOCK], c->path, c->path_count);
    converter_put_event(c, &e);
    c->block_named = false;
}

uint64_t converter_own_place(struct converter *c, uint32_t thread, uint64_t pc)
{
    return c->stacked && pc ? callers_own(&c->callers, c->naming.symbols, thread, pc) : pc;
}

/* The place in the program's own code that allocated the block. */
static uint64_t origin_of(struct converter *c, const struct record *r)
{
    return converter_own_place(c, c->thread, pc_of(r));
}

static void add_region(struct converter *c, const struct record *r, enum region_kind kind)
{
    struct region region = {.start = address_of(r),
                            .length = r->value,
                            .pc = pc_of(r),
                            .origin = origin_of(c, r),
                            .thread = c->thread,
                            .number = c->blocks - 1,
                            .life = lives_begin(&c->lives, address_of(r), r->value),
                            .kind = kind};

    regions_add(&c->naming.regions, &region);
}

/* The same block, longer. */
static void grow_region(struct converter *c, const struct record *r)
{
    struct region *old = regions_find(&c->naming.regions, address_of(r));
    struct region new = old ? *old : (struct region){.number = UINT32_MAX};
    uint32_t life = lives_begin(&c->lives, address_of(r), r->value);

    new.start = address_of(r);
    new.length = r->value;
    new.life = old ? old->life : life;
    new.pc = pc_of(r);
    new.origin = origin_of(c, r);
    new.thread = c->thread;
    new.kind = REGION_HEAP;
    new.serial = 0;
    new.way = new.typed = 0; /* it is as long as another type now */
    regions_add(&c->naming.regions, &new);
}

/* Nothing of the thread comes after it. */
static void write_exit(struct converter *c)
{
    struct event e = {.op = op_make(EVENT_EXIT, ORDER_NONE),
                      .thread = converted_thread(c, c->thread),
                      .arg = ARG_NONE,
                      .location = names_add(&c->trace.names[NAME_LOCATION], "", 0)};

    converter_put_event(c, &e);
}

/* Nearly all records. */
static void write_access(struct converter *c, const struct record *r)
{
    grounding_begin(c, r);
    c->pc = pc_of(r);
    keep_plain(c, r);
    if (is_guard_look(c, r))
        write_once(c, r, false);
    else if (length_of(r) > 0)
        converter_write_access(c, r);
    grounding_end(c, r);
}

static void write_event(struct converter *c, const struct record *r, unsigned kind)
{
    struct event e;

    if (kind == RECORD_FENCE) {
        e = converted_event_at(c, r, EVENT_FENCE);
        e.op = op_make(EVENT_FENCE, order_of(r));
        converter_put_event(c, &e);
    } else if (kind == RECORD_FORK || kind == RECORD_JOIN) {
        e = converted_event_at(c, r, kind == RECORD_FORK ? EVENT_FORK : EVENT_JOIN);
        e.arg = converted_thread(c, (uint32_t)r->value);
        converter_put_event(c, &e);
    } else if (kind >= RECORD_ACQUIRE && kind <= RECORD_SEM_WAIT) {
        write_sync(c, r, kind);
    } else if (kind == RECORD_SEM_VALUE && r->value > 0) { /* a token is there: as if taken and given back */
        write_sync(c, r, RECORD_SEM_WAIT);
        write_sync(c, r, RECORD_POST);
    } else if (kind == RECORD_SEM_INIT && tokens_counted(&c->tokens)) {
        write_count(c, r);
    } else if (kind == RECORD_FREE) {
        write_freed(c, r);
    } else if (kind == RECORD_END) {
        write_exit(c);
    }
}

static void write_one(struct converter *c, const struct record *r)
{
    unsigned kind = record_kind(r->word);

    if (record_is_access(kind)) {
        write_access(c, r);
        return;
    }
    if (grounding_record(c, r))
        return;
    grounding_begin(c, r);
    c->pc = pc_of(r);
    keep_record(c, r);
    switch (kind) {
    case RECORD_START:
        add_region(c, r, REGION_STACK);
        break;
    case RECORD_ALLOC:
        c->blocks++;
        add_region(c, r, REGION_HEAP);
        break;
    case RECORD_GROW:
        grow_region(c, r);
        break;
    case RECORD_FRAME:
        if (address_of(r) == 0)
            frames_pass(&c->naming.frames, c->thread);
        break;
    case RECORD_MAP:
        add_region(c, r, REGION_MAPPED);
        break;
    case RECORD_FRESH: /* of a library, which may be where a block was */
        if (pc_of(r) == 0)
            regions_drop(&c->naming.regions, address_of(r), r->value);
        break;
    case RECORD_NEW:
        if (is_use(r))
            write_use(c, r);
        forget_object(c, address_of(r));
        return;
    case RECORD_OUTPUT:
        grounding_output(grounding_now(c), pc_of(r));
        break;
    default:
        break;
    }
    if (walk_common(c, r) || kind == RECORD_GROW) {
        if (c->block_named)
            write_block(c);
        return;
    }
    if (kind == RECORD_ONCE_DONE || kind == RECORD_ONCE_SEEN) {
        write_once(c, r, kind == RECORD_ONCE_DONE);
        return;
    }
    write_event(c, r, kind);
}

/* A plain access of a batch in which these are all dropped. */
static inline bool write_dropped(struct converter *c, const struct record *r)
{
    unsigned kind = record_kind(r->word);

    if ((kind != RECORD_READ && kind != RECORD_WRITE) || record_size(r->word) == 0)
        return false;
    keep_plain(c, r);
    c->result->dropped_events++;
    grounding_plain(c, r);
    return true;
}

/* Records that come: what will be needed for them is fetched, in steps as in cells.h. */
struct walk_ahead {
    struct cells_ahead cells;
    uint32_t number[CELLS_STEP]; /* the last ones that were found, 0: none */
    unsigned count;
};

enum { AHEAD = 5 * CELLS_STEP };

/* The record comes after AHEAD others: fetches what is needed of those before it. */
static inline void expect(struct converter *c, struct walk_ahead *ahead, const struct record *r)
{
    uint32_t *last = &ahead->number[ahead->count++ % CELLS_STEP], number = *last;

    if (number > 0)
        grounding_expect_more(&c->grounding, number - 1);
    number = cells_expect(&c->cells, &ahead->cells, address_of(r));
    *last = number <= c->held_count ? number : 0;
    if (*last > 0) {
        __builtin_prefetch(&c->held[number - 1]);
        grounding_expect(&c->grounding, number - 1);
    }
}

static void write_batch(void *to, const struct record *records, size_t count)
{
    struct converter *c = to;
    struct record room;
    struct walk_ahead ahead = {0};

    for (size_t i = 0; i < count; i++) {
        if (!c->dropping && i + AHEAD < count)
            expect(c, &ahead, &records[i + AHEAD]);
        if (c->dropping && c->aliases.list_count == 0 && write_dropped(c, &records[i]))
            continue;
        aliases_pass(&c->aliases, &records[i]);
        write_one(c, c->aliases.list_count ? aliases_follow(&c->aliases, &records[i], &room) : &records[i]);
    }
    c->dropping = false;
}

/* A batch all of whose plain accesses are dropped. */
static bool write_rest(void *to, const struct batch_rest *rest)
{
    struct converter *c = to;

    c->dropping = cells_drop_runs(&c->cells, rest->runs, rest->runs_count);
    if (!c->dropping || !grounding_can_skip(c, rest->records, rest->count))
        return false;
    c->result->dropped_events += rest->left_out;
    write_batch(c, rest->records, rest->count);
    return true;
}

/* Back to the first record; what was counted stays. */
static void rewind_walk(struct converter *c)
{
    cells_rewind(&c->cells);
    map_free(&c->saw);
    map_free(&c->guards);
    memset(&c->saw, 0, sizeof c->saw);
    memset(&c->guards, 0, sizeof c->guards);
    for (size_t i = 0; i < c->once_count; i++)
        c->once[i].done = false;
    c->thread = 0;
    c->blocks = 0;
    c->callers.now_count = 0;
    aliases_rewind(&c->aliases);
}

/* Counts what was dropped. For a run that was only recorded in part that is everything that was not kept, so
 * the counts do not depend on what else is among the records. */
static void count_dropped(struct converter *c, const struct whole *whole)
{
    struct conversion *result = c->result;

    if (!whole->partial || result->beyond > 0) {
        result->dropped_events += whole->bare;
        result->dropped_variables = cells_dropped(&c->cells) - c->unused_uses;
        return;
    }
    result->dropped_events = whole->accesses > c->kept_accesses ? whole->accesses - c->kept_accesses : 0;
    result->dropped_variables = whole->granules > c->cells.places ? whole->granules - c->cells.places : 0;
}

static uint64_t outermost_place(void *calls, uint32_t thread, uint64_t pc)
{
    struct converter *c = calls;

    return callers_first(&c->callers, c->naming.symbols, thread, pc);
}

enum status converter_write(struct converter *c, struct store *store, const char *path, const char *program,
                            const struct whole *whole, struct conversion *result, struct error *err)
{
    struct trace_origin about = {.program = (char *)program, .binary = c->binary};
    struct store_reader reader = {.to = c, .take = write_batch, .take_rest = write_rest, .seconds = c->seconds};
    enum status status, closed;

    memset(result, 0, sizeof *result);
    snprintf(result->plain, sizeof result->plain, "%s", c->plain);
    c->result = result;
    rewind_walk(c);
    if (htr_create(&c->writer, path, c->grounded ? HTR_FEATURES : HTR_USUAL, c->trace.names, err) != HEDDLE_OK)
        return err->status;
    if (c->stacked) {
        c->naming.outermost = outermost_place;
        c->naming.calls = c;
    }
    if (c->binary || c->stacked) {
        callers_init(&c->callers);
        c->callers.functions = &c->naming.functions_at;
        htr_stacks(c->writer, c->callers.stacks);
    }
    c->grounding.writer = c->writer;
    validator_init(&c->validator, &c->trace);
    status = store_replay(store, &reader, err);
    result->beyond = reader.beyond;
    if (status == HEDDLE_OK && c->cells.failed)
        status = fail(err, HEDDLE_IO, "cannot read the temporary file");
    count_dropped(c, whole);
    about.dropped_events = result->dropped_events;
    about.dropped_variables = result->dropped_variables;
    if (c->grounding.any)
        htr_types(c->writer, c->types, c->types_count);
    event_set_sort(&c->grounding.printed);
    htr_printed(c->writer, &c->grounding.printed);
    htr_freeing(c->writer, &c->trace.freeing);
    htr_origin(c->writer, &about);
    keep_finish(c);
    if (c->fill_end) {
        c->fill_end(c->fill_end_to, c, &c->trace.end);
        htr_ending(c->writer, &c->trace.end);
    }
    htr_functions(c->writer, &c->naming.functions_at); /* those that threads wait in among them */
    keep_write(c);
    struct error close_error;
    closed = htr_close(c->writer, &close_error);
    if (status == HEDDLE_OK && closed != HEDDLE_OK)
        status = fail(err, close_error.status, "%s", close_error.text);
    validator_free(&c->validator);
    return status;
}
