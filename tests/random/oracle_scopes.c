/* The scopes of a small trace: sections of locks and atomic blocks. */
#include "random/oracle_meaning.h"

#include <assert.h>

/* How often one thread holds one lock in one mode, and since which acquire. */
struct hold {
    unsigned count;
    size_t since;
};

static void take(struct hold *hold, size_t event, event_set *sections)
{
    if (hold->count++ > 0)
        return; /* re-entrant: no effect */
    hold->since = event;
    *sections |= one_event(event);
}

static void give_back(struct meaning *m, struct hold *hold, size_t event)
{
    assert(hold->count > 0);
    if (--hold->count == 0)
        m->section_end[hold->since] = event;
}

/* Two sections of one lock exclude each other unless both are shared or of the same thread. */
static void find_rivals(struct meaning *m, event_set exclusive, event_set shared)
{
    for (event_set rest = exclusive; rest; rest &= rest - 1) {
        size_t e = first_event(rest);
        event_set others = (exclusive | shared) & ~m->of_thread[m->thread[e]];

        m->section_rivals[e] |= others;
        for (event_set other = others; other; other &= other - 1)
            m->section_rivals[first_event(other)] |= one_event(e);
    }
}

void meaning_sections(struct meaning *m, lock_id lock)
{
    struct hold exclusive[EVENT_SLOTS] = {0}, shared[EVENT_SLOTS] = {0};
    event_set exclusive_sections = 0, shared_sections = 0;

    for (size_t e = 1; e <= m->count; e++) {
        size_t t = m->thread[e];

        if (!names_the(m, e, NAME_LOCK, lock))
            continue;
        switch (kind_of(m, e)) {
        case EVENT_ACQUIRE:
            take(&exclusive[t], e, &exclusive_sections);
            break;
        case EVENT_RELEASE:
            give_back(m, &exclusive[t], e);
            break;
        case EVENT_SHARED_ACQUIRE:
            take(&shared[t], e, &shared_sections);
            break;
        case EVENT_SHARED_RELEASE:
            give_back(m, &shared[t], e);
            break;
        default: /* tryfail: at most one thread can be in the way exclusively */
            for (size_t u = 0; u < m->thread_count; u++) {
                if (exclusive[u].count > 0)
                    m->tryfail_section[e] = exclusive[u].since;
            }
        }
    }
    find_rivals(m, exclusive_sections, shared_sections);
    m->exclusive_sections |= exclusive_sections;
    m->shared_sections |= shared_sections;
}

/* Closes a block: its events may be the two ends of an atomicity violation. */
static void add_block(struct meaning *m, event_set block)
{
    for (event_set rest = block; rest; rest &= rest - 1)
        m->block_rest[first_event(rest)] |= rest & (rest - 1);
}

/* Outermost begin/end blocks of one thread; one never ended lasts to the thread's last event. */
static void begin_end_blocks(struct meaning *m, size_t thread)
{
    event_set block = 0;
    unsigned depth = 0;

    for (const uint8_t *e = m->by_thread[thread]; *e; e++) {
        if (kind_of(m, *e) == EVENT_BEGIN)
            depth++;
        if (depth > 0)
            block |= one_event(*e);
        if (kind_of(m, *e) == EVENT_END && --depth == 0) {
            add_block(m, block);
            block = 0;
        }
    }
    add_block(m, block);
}

/* Outermost lock scopes of one thread: from none held to none held, whatever the locks and modes; none with
 * a wait in it. */
static void lock_scope_blocks(struct meaning *m, size_t thread)
{
    event_set block = 0;
    unsigned depth = 0;
    bool waits = false;

    for (const uint8_t *e = m->by_thread[thread]; *e; e++) {
        enum event_kind kind = kind_of(m, *e);

        if (kind == EVENT_ACQUIRE || kind == EVENT_SHARED_ACQUIRE)
            depth++;
        if (depth > 0) {
            block |= one_event(*e);
            waits |= kind == EVENT_WAIT_PRE || kind == EVENT_WAIT_POST;
        }
        if ((kind == EVENT_RELEASE || kind == EVENT_SHARED_RELEASE) && --depth == 0) {
            if (!waits)
                add_block(m, block);
            block = 0;
            waits = false;
        }
    }
    if (!waits)
        add_block(m, block);
}

void meaning_blocks(struct meaning *m, bool lock_scopes)
{
    for (size_t t = 0; t < m->thread_count; t++) {
        begin_end_blocks(m, t);
        if (lock_scopes)
            lock_scope_blocks(m, t);
    }
}
