/* Locks, barriers and semaphores by address. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "tool.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"

static VgHashTable *objects;

struct grind_object *grind_object_at(Addr address)
{
    struct grind_object *o;

    if (!objects)
        objects = VG_(HT_construct)("heddle.objects");
    o = VG_(HT_lookup)(objects, address);
    if (!o) {
        o = VG_(calloc)("heddle.object", 1, sizeof *o);
        o->key = address;
        o->tokens = -1;
        VG_(HT_add_node)(objects, o);
    }
    return o;
}

void object_renew(Addr address)
{
    struct grind_object *o = grind_object_at(address);

    o->owner = o->depth = o->readers = o->needed = o->entered = 0;
    o->tokens = -1;
}

struct grind_object *object_held_by(UInt thread)
{
    struct grind_object *o = NULL;

    if (!objects)
        return NULL;
    VG_(HT_ResetIter)(objects);
    while ((o = VG_(HT_Next)(objects)) != NULL && !(o->robust && o->owner == thread + 1))
        ;
    return o;
}
