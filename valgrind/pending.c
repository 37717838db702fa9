/* Events that are not logged yet, and which thread holds what, updated as they are logged. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "wrapped_calls.h"

/* Logs a synchronization and updates which thread holds what. `value` is the record's. */
void effect_with(struct guest *g, UInt kind, Addr at, Addr pc, ULong value)
{
    struct grind_object *o = grind_object_at(at);

    switch (kind) {
    case RECORD_ACQUIRE:
        o->depth = o->owner == g->id + 1 ? o->depth + 1 : 1;
        o->owner = g->id + 1;
        break;
    case RECORD_RELEASE:
        if (o->depth > 0 && --o->depth == 0)
            o->owner = 0;
        break;
    case RECORD_SHARED_ACQUIRE:
        o->readers++;
        break;
    case RECORD_SHARED_RELEASE:
        o->readers -= o->readers > 0;
        break;
    case RECORD_POST:
        o->tokens++;
        break;
    case RECORD_SEM_WAIT:
        o->tokens -= o->tokens > 0;
        break;
    case RECORD_BARRIER_ENTER:
        o->entered++;
        break;
    default:
        break;
    }
    log_record(g, kind, at, 0, pc & RECORD_ADDRESS, value);
}

void effect(struct guest *g, UInt kind, Addr at, Addr pc)
{
    effect_with(g, kind, at, pc, 0);
}

void pending_add(struct guest *g, UInt kind, Addr object, Addr pc)
{
    if (g->pending_count == PENDING)
        pending_flush(g);
    g->pending[g->pending_count++] = (struct pending_call){kind, object, pc, 0};
}

void pending_flush(struct guest *g)
{
    for (UInt i = 0; i < g->pending_count; i++)
        effect_with(g, g->pending[i].kind, g->pending[i].object, g->pending[i].pc, g->pending[i].value);
    g->pending_count = 0;
}

static Bool has_pending(const struct guest *g, UInt kind, Addr object)
{
    for (UInt i = 0; i < g->pending_count; i++)
        if (g->pending[i].kind == kind && g->pending[i].object == object)
            return True;
    return False;
}

struct guest *first_pending(UInt kind, Addr object)
{
    struct guest *first = NULL;

    for (UInt i = 0; i < guest_count(); i++) {
        struct guest *g = guest_at(i);
        if (g && has_pending(g, kind, object) && (!first || g->announced < first->announced))
            first = g;
    }
    return first;
}

void flush_all(UInt kind, Addr object)
{
    for (struct guest *g; (g = first_pending(kind, object)) != NULL;)
        pending_flush(g);
}

/* What was pending happened, or did not. */
void settle_pending(struct guest *g, Bool happened)
{
    if (happened)
        pending_flush(g);
    g->pending_count = 0;
}
