/* Accesses in the second walk: their cells become variables, the bytes there values. */
#include "base/memory.h"
#include "record/convert/walk.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_TEXTS = 1 << 16 }; /* values kept as text: pointers, characters, fractions */

static const struct shape *shape_of(const struct converter *c, variable_id variable)
{
    return &c->shapes[c->held[variable].shape];
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    const struct spelling *s = &a->spelling, *t = &b->spelling;

    return a->local == b->local && s->kind == t->kind && s->size == t->size && s->local == t->local &&
           s->atomic == t->atomic && s->type.addr == t->type.addr;
}

/* The elements of an array, of which there may be millions, share theirs. */
static uint32_t add_shape(struct converter *c, const struct shape *shape)
{
    const struct spelling *s = &shape->spelling;
    uint32_t *recent = &c->shape_recent[((uintptr_t)s->type.addr ^ shape->local ^ s->size) % SHAPES_RECENT];

    if (shape->local == 0 && s->kind == 0 && s->size == 0 && !s->local)
        return 0;
    if (!same_shape(&c->shapes[*recent], shape)) {
        ARRAY_PUSH(c, shapes, *shape);
        *recent = (uint32_t)c->shapes_count - 1;
    }
    return *recent;
}

/* Compilers let locals that are not alive at the same time share a place: a write to another one than before
 * begins another variable. */
static bool is_other_local(struct converter *c, variable_id variable, const struct touched *what)
{
    uint64_t local = shape_of(c, variable)->local, now;
    struct region *stack;

    if (local == 0 || (*map_at(&c->looked, map_pair(variable, (uint32_t)what->pc)))++)
        return false;
    now = naming_local(&c->naming, what);
    if (!now || now == local)
        return false;
    stack = regions_find(&c->naming.regions, what->address);
    if (stack)
        stack->life = lives_begin(&c->lives, stack->start, stack->length);
    return true;
}

/* `length`: of what is named, 0: a whole object. */
static variable_id variable_of(struct converter *c, const struct cell *cell, uint64_t length, uint64_t pc,
                               bool write)
{
    struct touched what = {.address = cell->address, .length = length, .pc = pc, .thread = c->thread};

    if (*cell->number == 0 || (write && is_other_local(c, *cell->number - 1, &what))) {
        struct shape shape = {.local = naming_local(&c->naming, &what)};
        struct names *names = &c->trace.names[NAME_VARIABLE];
        if (names->passing_count >= 2 * HTR_BLOCK_EVENTS) /* most of them are in the file */
            names_forget(names, htr_named(c->writer, NAME_VARIABLE));
        *cell->number = naming_add(&c->naming, names, NAME_VARIABLE, &what, "", &shape.spelling) + 1;
        while (c->held_count < *cell->number)
            ARRAY_PUSH(c, held, (struct held){0});
        c->held[*cell->number - 1] = (struct held){.shape = add_shape(c, &shape)};
    }
    return *cell->number - 1;
}

enum memory_ordering order_of(const struct record *r)
{
    static const enum memory_ordering orders[] = {
        [__ATOMIC_RELAXED] = ORDER_RELAXED, [__ATOMIC_CONSUME] = ORDER_ACQUIRE,
        [__ATOMIC_ACQUIRE] = ORDER_ACQUIRE, [__ATOMIC_RELEASE] = ORDER_RELEASE,
        [__ATOMIC_ACQ_REL] = ORDER_ACQ_REL, [__ATOMIC_SEQ_CST] = ORDER_SEQ_CST};
    unsigned order = (unsigned)(r->pc >> 48) & 7;

    return order < sizeof orders / sizeof *orders ? orders[order] : ORDER_SEQ_CST;
}

static event_op access_op(const struct record *r)
{
    switch (record_kind(r->word)) {
    case RECORD_READ:
        return op_make(EVENT_READ, ORDER_NONE);
    case RECORD_WRITE:
        return op_make(EVENT_WRITE, ORDER_NONE);
    case RECORD_ATOMIC_READ:
        return op_make(EVENT_ATOMIC_READ, order_of(r));
    case RECORD_ATOMIC_WRITE:
        return op_make(EVENT_ATOMIC_WRITE, order_of(r));
    case RECORD_CAS:
        return op_make(EVENT_CAS, order_of(r));
    default:
        return op_make(EVENT_RMW, order_of(r));
    }
}

/* A read of a value that no recorded write stored: uninstrumented code wrote it. `value` is what memory
 * held. A stack slot that now belongs to another local variable proves nothing. */
static void check_value(struct converter *c, const struct event *e, uint64_t value)
{
    bool valued = e->value_tag != VALUE_NONE;
    struct held *held = &c->held[e->arg];
    const struct shape *shape = shape_of(c, e->arg);
    bool local = shape->local || shape->spelling.local;

    if (kind_reads(op_kind(e->op)) && !kind_writes(op_kind(e->op)) && valued && held->known && !local &&
        held->value != value && c->result->unseen++ == 0)
        snprintf(c->result->first_unseen, sizeof c->result->first_unseen, "%.200s at %.200s",
                 trace_name(&c->trace, NAME_VARIABLE, e->arg),
                 trace_name(&c->trace, NAME_LOCATION, e->location));
    if (valued || kind_writes(op_kind(e->op)))
        held->value = value, held->known = valued;
}

/* A pointer to a global variable, or a part of one, by its name: "&table[3]". NULL if no name is known, or
 * if another address already has that name: different values must have different texts. */
static const char *pointed_name(struct converter *c, uint64_t raw, char *room, size_t size)
{
    struct names *texts = &c->trace.names[NAME_VALUE];
    struct spelling unused;
    uint32_t id;

    room[0] = '&';
    if (raw == 0 || !symbols_variable(c->naming.symbols, raw, 0, room + 1, size - 1, &unused) || !room[1])
        return NULL;
    naming_plain(room);
    id = names_find(texts, room, strlen(room));
    if (id == NAME_NONE && names_count(texts) < VALUE_TEXTS) {
        id = names_add(texts, room, strlen(room));
        ARRAY_PUSH(c, pointed, raw);
        *map_at(&c->pointed_at, id) = (uint32_t)c->pointed_count;
    }
    if (id == NAME_NONE || map_get(&c->pointed_at, id) == 0 ||
        c->pointed[map_get(&c->pointed_at, id) - 1] != raw)
        return NULL;
    return room;
}

/* The value as its type wants it shown. Texts are kept once; where there are too many, the number is shown. */
static void spell_value(struct converter *c, struct event *e, uint64_t raw)
{
    struct names *texts = &c->trace.names[NAME_VALUE];
    const struct spelling *spelling = &shape_of(c, e->arg)->spelling;
    bool negative;
    char room[64], name[256];
    const char *text = spelling_value(spelling, raw, &e->value, &negative, room, sizeof room);
    const char *pointed = spelling->kind == SPELL_POINTER ? pointed_name(c, raw, name, sizeof name) : NULL;
    uint32_t id = NAME_NONE;

    text = pointed ? pointed : text;

    e->value_tag = negative ? VALUE_NEGATIVE : VALUE_UNSIGNED;
    if (text)
        id = names_count(texts) < VALUE_TEXTS ? names_add(texts, text, strlen(text))
                                              : names_find(texts, text, strlen(text));
    if (id != NAME_NONE) {
        e->value_tag = VALUE_NAME;
        e->value = id;
    } else if (text) {
        e->value = raw;
        e->value_tag = VALUE_UNSIGNED;
    }
}

/* Plain instructions of a program without hooks may be atomic loads and stores: as strong as the machine's are.
 */
static event_op binary_op(struct converter *c, const struct record *r, const struct cell *cell,
                          variable_id variable)
{
    unsigned kind = record_kind(r->word);
    enum evidence evidence;

    if (kind != RECORD_READ && kind != RECORD_WRITE)
        return access_op(r);
    evidence = atomics_of(&c->atomics, &c->cells, &c->naming, r, cell, variable);
    if (evidence == EVIDENCE_NONE && shape_of(c, variable)->spelling.local)
        evidence = shape_of(c, variable)->spelling.atomic ? EVIDENCE_ATOMIC : EVIDENCE_PLAIN;
    if (evidence == EVIDENCE_ATOMIC)
        return kind == RECORD_READ ? op_make(EVENT_ATOMIC_READ, ORDER_ACQUIRE)
                                   : op_make(EVENT_ATOMIC_WRITE, ORDER_RELEASE);
    if (evidence == EVIDENCE_NONE && (*map_at(&c->untyped, variable))++ == 0 && c->result->untyped++ == 0)
        snprintf(c->result->first_untyped, sizeof c->result->first_untyped, "%.500s",
                 trace_name(&c->trace, NAME_VARIABLE, variable));
    return access_op(r);
}

/* How the numbers of a variable wrap; TYPE_UNKNOWN: its values are no numbers, or of no known size. */
static enum value_type number_type(const struct converter *c, variable_id variable, uint64_t length)
{
    const struct spelling *spelling = &shape_of(c, variable)->spelling;
    enum value_type type = length == 1   ? TYPE_U8
                           : length == 2 ? TYPE_U16
                           : length == 4 ? TYPE_U32
                           : length == 8 ? TYPE_U64
                                         : TYPE_UNKNOWN;

    if (type == TYPE_UNKNOWN || (spelling->kind != SPELL_RAW && spelling->kind != SPELL_SIGNED) ||
        (spelling->size && spelling->size != length))
        return TYPE_UNKNOWN;
    return (enum value_type)(type + (spelling->kind == SPELL_SIGNED));
}

/* What was in the variable before an atomic change, as the event shows numbers. */
static uint64_t old_number(const struct converter *c, variable_id variable, uint64_t length, uint64_t raw)
{
    char room[64];
    uint64_t number = raw;
    bool negative;

    raw = length < 8 ? raw & ((UINT64_C(1) << 8 * length) - 1) : raw;
    spelling_value(&shape_of(c, variable)->spelling, raw, &number, &negative, room, sizeof room);
    return number;
}

/* Whether an atomic change saw what the variable was last seen to hold. */
static bool saw_held(const struct converter *c, variable_id variable, const struct cell *cell, uint64_t raw)
{
    const struct held *held = &c->held[variable];

    raw = cell->length < 8 ? raw & ((UINT64_C(1) << 8 * cell->length) - 1) : raw;
    return !held->known || held->value == raw;
}

/* What part of the C++ library the place is in, if any. Functions of atomic variables do what the program asks for: where they
 * are not optimized, a change is made there. */
static enum library_part library_part(const char *place)
{
    static const char *const waiting[] = {
        "/future:", "/bits/atomic_futex.h:", "/bits/atomic_wait.h:", "/bits/semaphore_base.h:", "/barrier:"};

    if (strncmp(place, "/usr/include/c++/", 17) != 0 || strstr(place, "/atomic:") ||
        strstr(place, "/bits/atomic_base.h:"))
        return LIBRARY_NONE;
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        if (strstr(place, waiting[i]))
            return LIBRARY_WAIT;
    return LIBRARY_OTHER;
}

static void ground_access(struct converter *c, const struct record *r, const struct cell *cell, struct event *e)
{
    struct accessed what = {.type = number_type(c, e->arg, cell->length),
                            .whole = cell->length == length_of(r) && record_size(r->word) != 0,
                            .offset = (unsigned)(cell->address - address_of(r)),
                            .length = (unsigned)cell->length};
    bool updates = record_kind(r->word) == RECORD_RMW || record_kind(r->word) == RECORD_CAS;

    if (updates)
        what.library = library_part(trace_name(&c->trace, NAME_LOCATION, e->location));

    if (!(r->pc & RECORD_GROUNDED))
        return;
    while (c->types_count <= e->arg)
        ARRAY_PUSH(c, types, TYPE_UNKNOWN);
    c->types[e->arg] = (uint8_t)what.type;
    if (updates && !saw_held(c, e->arg, cell, grounding_old(c)))
        what.type = TYPE_UNKNOWN; /* by the trace it saw something else, which code without hooks changed */
    else if (updates)
        what.old = old_number(c, e->arg, cell->length, grounding_old(c));
    grounding_access(grounding_now(c), e, &what);
}

/* Leaves the read out if it only repeats the thread's last events. */
static bool leave_out_poll(struct converter *c, const struct record *r, const struct cell *cell,
                           const struct event *e)
{
    uint32_t repeated = cell->length == length_of(r) && !c->keep_polls ? polls_repeated(&c->polls, e) : 0;

    if (!repeated)
        return false;
    grounding_poll(grounding_now(c), e, number_type(c, e->arg, cell->length), repeated);
    keep_poll(c, repeated);
    c->result->polls++;
    return true;
}

/* What the events of a record have in common, from the first one on. */
struct access_event {
    bool begun;
    event_op op;
    thread_id thread;
    location_id location;
};

static struct event event_of(struct converter *c, const struct record *r, const struct cell *cell,
                             struct access_event *all)
{
    struct event e = {0};

    if (!all->begun) {
        all->op = access_op(r);
        all->thread = converted_thread(c, c->thread);
    }
    e.op = all->op;
    e.thread = all->thread;
    e.arg = variable_of(c, cell, cell->length, pc_of(r), record_kind(r->word) == RECORD_WRITE);
    if (!all->begun)
        all->location = naming_place(&c->naming, &c->trace.names[NAME_LOCATION], pc_of(r));
    all->begun = true;
    e.location = all->location;
    return e;
}

/* Whether the event is a part of something that happens at once: an atomic access that stores to several cells, or a look at what one
 * has stored. Such events have no values, so that who goes by one of them goes by all (semantics §2: the same write). */
static bool is_part(struct converter *c, const struct record *r, const struct cell *cell, const struct event *e)
{
    struct held *held = &c->held[e->arg];
    bool several = cell->length != length_of(r);

    if (!kind_writes(op_kind(e->op)))
        return several && held->together && kind_atomic(op_kind(e->op));
    held->together = several && kind_atomic(op_kind(access_op(r)));
    return held->together;
}

void converter_write_access(struct converter *c, const struct record *r)
{
    uint64_t address = address_of(r), end = address + length_of(r);
    bool valued = record_size(r->word) && record_size(r->word) <= 8 && r->pc & RECORD_VALUED;
    struct access_event all = {.begun = false};
    uint64_t kept = 0;
    struct cell cell;

    if (!cells_first(&c->cells, address, end, &cell)) {
        c->result->dropped_events++;
        grounding_dropped(c, r, address, end - address);
        return;
    }
    if (valued && end - address == 8 && lives_mixed(&c->lives, &c->naming.regions, r->value))
        valued = false;
    for (uint64_t at = address; at < end;) {
        if (at > address)
            cell = cells_next(&c->cells, at, end);
        at += cell.length;
        if (cell.dropped) {
            grounding_dropped(c, r, cell.address, cell.length);
            continue;
        }
        struct event e = event_of(c, r, &cell, &all);
        uint64_t value = 0;
        if (c->binary)
            e.op = binary_op(c, r, &cell, e.arg);
        if (!is_part(c, r, &cell, &e) && valued) {
            value = r->value >> 8 * (cell.address - address);
            value = cell.length < 8 ? value & ((UINT64_C(1) << 8 * cell.length) - 1) : value;
            spell_value(c, &e, value);
        }
        if (leave_out_poll(c, r, &cell, &e))
            continue;
        ground_access(c, r, &cell, &e);
        check_value(c, &e, value);
        converter_put_event(c, &e);
        kept++;
    }
    c->result->dropped_events += kept == 0;
    c->kept_accesses += kept != 0;
}

static struct event access_at(struct converter *c, const struct record *r, event_op op, variable_id variable)
{
    return (struct event){.op = op,
                          .thread = converted_thread(c, c->thread),
                          .arg = variable,
                          .location = naming_place(&c->naming, &c->trace.names[NAME_LOCATION], pc_of(r))};
}

void write_freed(struct converter *c, const struct record *r)
{
    uint64_t at = address_of(r), end = at + r->value, first = c->result->events;
    struct cell cell;

    for (unsigned i = 0; i < SESSION_FREED && cells_next_kept(&c->cells, at, end, &cell); i++) {
        struct event e = access_at(c, r, op_make(EVENT_WRITE, ORDER_NONE),
                                   variable_of(c, &cell, cell.length, pc_of(r), false));
        uint64_t before = c->result->events;
        check_value(c, &e, 0);
        grounding_freed(grounding_now(c), &e);
        converter_put_event(c, &e);
        if (c->result->events > before)
            event_set_add(&c->trace.freeing, (uint32_t)c->result->events);
        at = cell.address + cell.length;
    }
    if (record_size(r->word) != FREED_BLOCK) {
        c->result->dropped_events += c->result->events == first;
        c->kept_accesses += c->result->events > first;
    }
}

/* What orders the users of a lock is the lock: the access itself orders nothing. */
void write_use(struct converter *c, const struct record *r)
{
    uint64_t at = address_of(r);
    bool writes = record_kind(r->word) == RECORD_NEW;
    struct cell cell = cells_next(&c->cells, at, at + 1);

    if (cell.dropped) {
        c->unused_uses += (*map_at(&c->used, cells_id(&c->cells, at)))++ == 0;
        return;
    }
    struct event e =
        access_at(c, r, writes ? op_make(EVENT_WRITE, ORDER_NONE) : op_make(EVENT_ATOMIC_READ, ORDER_RELAXED),
                  variable_of(c, &cell, 0, pc_of(r), false));
    check_value(c, &e, 0);
    if (!writes)
        grounding_use(grounding_now(c), &e);
    converter_put_event(c, &e);
    c->grounding.unused = false;
}
