/* The scopes of a small trace: sections of locks, atomic blocks; and the values its reads may swap. */
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

struct value {
    uint8_t tag; /* VALUE_NONE: unknown, equal to nothing */
    uint64_t number;
};

static struct value recorded(const struct meaning *m, size_t event)
{
    if (!m->trace->value_tag)
        return (struct value){.tag = VALUE_NONE};
    return (struct value){.tag = m->trace->value_tag[event], .number = m->trace->value[event]};
}

/* What reading `write` gave in the trace: its value, or the initial one as some read of `beside`'s variable saw
 * it. (The value recorded with an rmw is the one it wrote, so it tells nothing about the initial one.) */
static struct value value_written(const struct meaning *m, size_t write, size_t beside)
{
    struct value value = {.tag = VALUE_NONE};

    if (write != EVENT_INIT)
        return recorded(m, write);
    for (event_set rest = m->reads_beside[beside]; rest && value.tag == VALUE_NONE; rest &= rest - 1) {
        size_t read = first_event(rest);
        if (m->rf[read] == EVENT_INIT && !kind_updates(kind_of(m, read)))
            value = recorded(m, read);
    }
    return value;
}

static struct value value_read(const struct meaning *m, size_t read)
{
    struct value value = {.tag = VALUE_NONE};

    if (!kind_updates(kind_of(m, read)))
        value = recorded(m, read);
    return value.tag == VALUE_NONE ? value_written(m, m->rf[read], read) : value;
}

void meaning_values(struct meaning *m)
{
    for (size_t e = 1; e <= m->count; e++) {
        if (!kind_reads(kind_of(m, e)))
            continue;

        struct value seen = value_read(m, e);
        event_set sources = m->writes_beside[e] | one_event(EVENT_INIT);

        for (event_set rest = sources; rest && seen.tag != VALUE_NONE; rest &= rest - 1) {
            struct value other = value_written(m, first_event(rest), e);
            if (other.tag == seen.tag && other.number == seen.number)
                m->keeps[e] |= one_event(first_event(rest));
        }
    }
}
