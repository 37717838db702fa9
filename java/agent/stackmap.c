/* Moving stack maps. Only offsets change: of the frames, and of the `new` behind an object without a
 * constructor call. */
#include "stackmap.h"

#include <assert.h>

enum { SAME_ONE = 64, RESERVED = 128, SAME_ONE_FAR = 247, SAME_FAR = 251, APPEND = 252, FULL = 255 };
enum { TYPE_OBJECT = 7, TYPE_UNINITIALIZED = 8 };

struct label_move {
    const uint32_t *moved;
    size_t places;
    struct bytes *to;
    bool bad;
};

static uint32_t new_place(struct label_move *m, size_t old)
{
    if (old >= m->places || m->moved[old] == UINT32_MAX) {
        m->bad = true;
        return 0;
    }
    return m->moved[old];
}

static void copy_types(struct label_move *m, struct cursor *in, unsigned count)
{
    while (count-- > 0 && !in->bad) {
        unsigned type = read_u1(in);
        put_u1(m->to, type);
        if (type == TYPE_OBJECT)
            put_u2(m->to, read_u2(in));
        else if (type == TYPE_UNINITIALIZED)
            put_u2(m->to, new_place(m, read_u2(in)));
        m->bad |= type > TYPE_UNINITIALIZED;
    }
}

static void copy_counted(struct label_move *m, struct cursor *in)
{
    unsigned count = read_u2(in);

    put_u2(m->to, count);
    copy_types(m, in, count);
}

/* One frame: reads its old distance, writes the new one. */
static void move_frame(struct label_move *m, struct cursor *in, long *old, long *now)
{
    unsigned kind = read_u1(in);
    unsigned distance = kind < SAME_ONE ? kind : kind < RESERVED ? kind - SAME_ONE : read_u2(in);
    uint32_t place;

    if (kind >= RESERVED && kind < SAME_ONE_FAR)
        m->bad = true;
    *old += (long)distance + 1;
    place = new_place(m, (size_t)*old);
    assert(m->bad || (long)place > *now); /* frames keep their order */
    distance = (unsigned)(place - *now - 1);
    *now = place;
    if (kind < SAME_ONE || kind == SAME_FAR) {
        if (distance < SAME_ONE) {
            put_u1(m->to, distance);
        } else {
            put_u1(m->to, SAME_FAR);
            put_u2(m->to, distance);
        }
        return;
    }
    if (kind < RESERVED)
        kind = SAME_ONE_FAR;
    put_u1(m->to, kind);
    put_u2(m->to, distance);
    if (kind == SAME_ONE_FAR) {
        copy_types(m, in, 1);
    } else if (kind >= APPEND && kind < FULL) {
        copy_types(m, in, kind - SAME_FAR);
    } else if (kind == FULL) {
        copy_counted(m, in);
        copy_counted(m, in);
    }
}

bool stackmap_move(struct span old, const uint32_t *moved, size_t places, uint32_t handler, uint16_t throwable,
                   struct bytes *to)
{
    struct label_move m = {.moved = moved, .places = places, .to = to};
    struct cursor in = cursor_over(old);
    unsigned count = old.count ? read_u2(&in) : 0;
    long from = -1, now = -1;

    put_u2(to, count + (handler != 0));
    while (count-- > 0 && !in.bad && !m.bad)
        move_frame(&m, &in, &from, &now);
    if (handler) {
        assert(m.bad || (long)handler > now);
        put_u1(to, FULL);
        put_u2(to, (unsigned)(handler - now - 1));
        put_u2(to, 0);
        put_u2(to, 1);
        put_u1(to, TYPE_OBJECT);
        put_u2(to, throwable);
    }
    return !in.bad && !m.bad;
}
