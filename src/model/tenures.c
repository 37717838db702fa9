/* Tenures of what is used again and again: an item of a free list, a slot, a buffer.
 *
 * A *token* is a variable with a value that says that something may be taken. A *take* is a read of that value in an exclusive
 * section of a lock, with a write of another value right after it in the same section; a *give* is a write that may carry the
 * value. A *tenure* begins with a take and ends with a give that must come after it. Two takes cannot see the same give, as
 * the first of them overwrites it. So, if every give but one ends a tenure of its own, no run has two tenures at once
 * (docs/soundness.md, "Tenures"). */
#include "base/memory.h"
#include "model/model_parts.h"

#include <assert.h>
#include <stdlib.h>

enum {
    TRIES = 4, /* values of a variable that are tried */
    NEAR = 64, /* so soon after a take what was taken is written; so many accesses are looked at for a write */
};

struct tenure {
    event_id take; /* the write of another value */
    event_id give; /* EVENT_NONE: the trace has none */
};

struct token {
    variable_id x;
    uint32_t first, count; /* in tenures */
};

struct tenures {
    struct token *tokens;
    size_t tokens_count, tokens_capacity;
    struct tenure *tenures; /* token by token, in the order of the trace */
    size_t tenures_count, tenures_capacity;
    uint32_t *token_of; /* by variable: the token of what it is part of, plus 1 … */
    uint32_t *own;      /* … and itself, if it is one */
};

/* What is known of a variable while a value of it is tried. */
struct token_finder {
    const struct model *m;
    struct event_span accesses;
    struct known_value value;
    lock_id lock; /* of the first take */
    struct tenures *tenures;
    size_t first;   /* the first of its tenures */
    uint32_t loose; /* gives that end no tenure */
    bool open;      /* the last tenure has no give yet */
};

static bool may_give(const struct token_finder *f, event_id write)
{
    return model_may_carry(f->m, write, arg_of(f->m, f->accesses.events[0]), f->value);
}

/* Whether the accesses, one right after the other, look like a take: whoever does the second has seen the value. */
static bool looks_like_take(const struct model *m, event_id read, event_id write)
{
    thread_id t = thread_of(m, read);

    return m->source[read] != EVENT_NONE && kind_of(m, write) == EVENT_WRITE && thread_of(m, write) == t &&
           !kind_writes(kind_of(m, read)) && model_seen(m, read).tag != VALUE_NONE &&
           read_plain_at(m, read) <= m->position[write];
}

/* The innermost lock that the thread holds at the read, exclusively, or NAME_NONE. */
static lock_id lock_of_take(const struct model *m, event_id read)
{
    uint32_t hold = model_hold_at(m, thread_of(m, read), m->position[read]);

    return hold == HOLD_NONE || m->sections[m->holds[hold].section].shared
               ? NAME_NONE
               : section_lock(&m->sections[m->holds[hold].section]);
}

static bool is_take(const struct token_finder *f, event_id read, event_id write)
{
    const struct model *m = f->m;

    if (!looks_like_take(m, read, write) || !known_equal(model_seen(m, read), f->value) || may_give(f, write))
        return false;
    const struct section *around = exclusive_around(m, f->lock, read);
    return around && around == exclusive_around(m, f->lock, write);
}

/* Books what the write gives; false if it is one too many. */
static bool book_give(struct token_finder *f, event_id write)
{
    struct tenures *l = f->tenures;

    if (f->open && must_before(f->m, l->tenures[l->tenures_count - 1].take, write)) {
        l->tenures[l->tenures_count - 1].give = write;
        f->open = false;
        return true;
    }
    return ++f->loose <= 1;
}

/* Books the take; false where the last one was not given back, or the trace does not say what its source wrote. */
static bool book_take(struct token_finder *f, event_id read, event_id write)
{
    if (f->open || !known_equal(model_written(f->m, f->m->source[read], arg_of(f->m, read)), f->value))
        return false;
    ARRAY_PUSH(f->tenures, tenures, (struct tenure){write, EVENT_NONE});
    f->open = true;
    return true;
}

/* Whether some take may see the initial write, and that may carry the value. */
static bool initial_gives(const struct token_finder *f)
{
    const struct model *m = f->m;
    event_id first = EVENT_NONE;

    if (model_written(m, EVENT_INIT, arg_of(m, f->accesses.events[0])).tag != VALUE_NONE &&
        !may_give(f, EVENT_INIT))
        return false;
    for (size_t i = 0; i < f->accesses.count && first == EVENT_NONE; i++)
        if (kind_writes(kind_of(m, f->accesses.events[i])))
            first = f->accesses.events[i];
    for (size_t i = f->first; i < f->tenures->tenures_count; i++)
        if (first == f->tenures->tenures[i].take || !must_before(m, first, f->tenures->tenures[i].take))
            return true;
    return false;
}

/* Whether the tenures of this value exclude each other, and are those of more than one thread; they are added then. */
static bool find_tenures(struct token_finder *f)
{
    const struct model *m = f->m;
    struct tenures *l = f->tenures;
    bool fits = true, shared = false;

    f->first = l->tenures_count;
    f->loose = 0;
    f->open = false;
    for (size_t i = 0; i < f->accesses.count && fits; i++) {
        event_id e = f->accesses.events[i];
        if (kind_writes(kind_of(m, e)) && may_give(f, e))
            fits = book_give(f, e);
        else if (i + 1 < f->accesses.count && is_take(f, e, f->accesses.events[i + 1]))
            fits = book_take(f, e, f->accesses.events[i + 1]);
    }
    for (size_t i = f->first; i < l->tenures_count; i++)
        shared |= thread_of(m, l->tenures[i].take) != thread_of(m, l->tenures[f->first].take);
    fits = fits && shared && f->loose + initial_gives(f) <= 1;
    l->tenures_count = fits ? l->tenures_count : f->first;
    return fits;
}

/* The variable is a token if one of the first values that look taken is that of a token. */
static void find_token(struct tenures *l, const struct model *m, variable_id x)
{
    struct token_finder f = {.m = m, .accesses = accesses_of(m, x), .tenures = l};
    struct known_value tried[TRIES];
    size_t tries = 0;

    for (size_t i = 0; i + 1 < f.accesses.count && tries < TRIES; i++) {
        event_id read = f.accesses.events[i];
        if (!looks_like_take(m, read, f.accesses.events[i + 1]))
            continue;
        size_t known = 0;
        f.value = model_seen(m, read);
        while (known < tries && !known_equal(tried[known], f.value))
            known++;
        f.lock = known < tries ? NAME_NONE : lock_of_take(m, read);
        if (f.lock == NAME_NONE)
            continue;
        tried[tries++] = f.value;
        if (find_tenures(&f)) {
            ARRAY_PUSH(l, tokens, (struct token){x, (uint32_t)f.first, (uint32_t)(l->tenures_count - f.first)});
            return;
        }
    }
}

/* Finds what else belongs to each token: variables that are mostly written soon after its takes. A guess, as all that follows from a
 * tenure holds whatever it is of. */
static void find_parts(struct tenures *l, const struct model *m)
{
    struct map token_at = {0}; /* take → token, plus 1 */
    uint32_t *last = memory_new(m->thread_count, sizeof *last), *at = memory_new(m->thread_count, sizeof *at);
    uint32_t *votes = memory_new(m->variable_count, sizeof *votes);

    for (uint32_t i = 0; i < l->tokens_count; i++)
        for (uint32_t k = 0; k < l->tokens[i].count; k++)
            *map_at(&token_at, l->tenures[l->tokens[i].first + k].take) = i + 1;
    for (event_id e = 1; e <= m->event_count; e++) {
        thread_id t = thread_of(m, e);
        variable_id x = arg_of(m, e);
        if (!kind_writes(kind_of(m, e)))
            continue;
        uint32_t token = map_get(&token_at, e);
        if (token &&
            (!last[t] || m->position[e] - at[t] > NEAR)) { /* the first of several that are taken together */
            last[t] = token;
            at[t] = m->position[e];
        }
        if (!last[t] || m->position[e] - at[t] > NEAR)
            continue;
        if (votes[x] == 0)
            l->token_of[x] = last[t];
        votes[x] += l->token_of[x] == last[t] ? 1 : UINT32_MAX;
    }
    for (uint32_t i = 0; i < l->tokens_count; i++)
        l->own[l->tokens[i].x] = i + 1;
    map_free(&token_at);
    free(last);
    free(at);
    free(votes);
}

void tenures_free(struct tenures *l)
{
    if (!l)
        return;
    free(l->tokens);
    free(l->tenures);
    free(l->token_of);
    free(l->own);
    free(l);
}

void tenures_find(struct model *m)
{
    struct tenures *l = memory_new(1, sizeof *l);

    tenures_free(m->tenures);
    m->tenures = NULL;
    for (variable_id x = 0; x < m->variable_count; x++)
        find_token(l, m, x);
    if (l->tokens_count == 0) {
        tenures_free(l);
        return;
    }
    l->token_of = memory_new(m->variable_count, sizeof *l->token_of);
    l->own = memory_new(m->variable_count, sizeof *l->own);
    find_parts(l, m);
    m->tenures = l;
}

/* The tenure of the token that the event must be in: after the take, or it, and not after the give. NULL: none, or not
 * known. */
static const struct tenure *tenure_of(const struct model *m, uint32_t token, event_id e)
{
    const struct tenure *all = m->tenures->tenures + m->tenures->tokens[token].first;
    uint32_t low = 0, high = m->tenures->tokens[token].count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (all[middle].take <= e)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct tenure *found = &all[low - 1];
    if (found->take != e && !must_before(m, found->take, e))
        return NULL;
    return found->give == EVENT_NONE || found->give == e || must_before(m, e, found->give) ? found : NULL;
}

static bool excludes(const struct model *m, uint32_t token, event_id a, event_id b)
{
    const struct tenure *mine = token ? tenure_of(m, token - 1, a) : NULL;
    const struct tenure *theirs = mine ? tenure_of(m, token - 1, b) : NULL;

    return theirs && mine != theirs;
}

bool tenures_exclude(const struct model *m, event_id a, event_id b)
{
    variable_id x = arg_of(m, a);

    assert(x == arg_of(m, b));
    return excludes(m, m->tenures->own[x], a, b) || excludes(m, m->tenures->token_of[x], a, b);
}

/* Whether the variable of the read must have been written before it in the tenure. */
static bool is_written_in(const struct model *m, const struct tenure *tenure, event_id read)
{
    struct event_span accesses = accesses_of(m, arg_of(m, read));
    size_t count = events_up_to(accesses.events, accesses.count, read);

    for (size_t i = count; i > 0 && count - i < NEAR && accesses.events[i - 1] >= tenure->take; i--) {
        event_id e = accesses.events[i - 1];
        if (e != read && kind_writes(kind_of(m, e)) && must_before(m, e, read) &&
            (e == tenure->take || must_before(m, tenure->take, e)))
            return true;
    }
    return false;
}

static bool lets_see(const struct model *m, uint32_t token, event_id read, event_id write)
{
    const struct tenure *theirs = token ? tenure_of(m, token - 1, write) : NULL;
    const struct tenure *mine = theirs ? tenure_of(m, token - 1, read) : NULL;

    return !mine || mine == theirs || mine->take == read || !is_written_in(m, mine, read);
}

bool tenures_let_see(const struct model *m, event_id read, event_id write)
{
    variable_id x = arg_of(m, read);

    return write == EVENT_INIT ||
           (lets_see(m, m->tenures->own[x], read, write) && lets_see(m, m->tenures->token_of[x], read, write));
}
