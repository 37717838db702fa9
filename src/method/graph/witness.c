/* Witnesses: what they demand. */
#include "method/graph/witness.h"

unsigned witness_pairs(const struct witness *w, struct ordered_pair pairs[3])
{
    struct ordered_pair wanted[3];
    unsigned count = 0, kept = 0;

    wanted[count++] = (struct ordered_pair){w->challenger, w->read};
    if (w->kind == WITNESS_K1) {
        wanted[count++] = (struct ordered_pair){w->read, w->write};
        wanted[count++] = (struct ordered_pair){w->challenger, w->write};
    } else if (w->kind == WITNESS_K2) {
        wanted[count++] = (struct ordered_pair){w->write, w->challenger};
        wanted[count++] = (struct ordered_pair){w->write, w->read};
    }
    for (unsigned i = 0; i < count; i++)
        if (wanted[i].before != EVENT_INIT)
            pairs[kept++] = wanted[i];
    return kept;
}

bool witness_is_absurd(const struct witness *w)
{
    return w->kind == WITNESS_K2 ? w->challenger == EVENT_INIT : w->write == EVENT_INIT;
}

const char *witness_word(enum witness_kind kind)
{
    static const char *const words[WITNESS_KINDS] = {"k1", "k2", "k3"};

    return words[kind];
}
