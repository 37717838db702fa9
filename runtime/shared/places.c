/* Who looked at what outside memory, and who changed it. */
#include "runtime/shared/places.h"

enum { PLACES = 512, CALLS = 32 };

/* Last calls, one a thread. */
struct last_calls {
    struct channel_call calls[CALLS];
    unsigned count;
};

struct meeting {
    uint64_t key; /* 0: a free slot */
    struct last_calls looks, changes;
};

static struct meeting places[PLACES]; /* the first stands for all that there is no other room for */

static struct meeting *meeting_place(uint64_t key)
{
    for (unsigned i = 0; i < PLACES - 1; i++) {
        struct meeting *p = &places[1 + (key + i) % (PLACES - 1)];
        if (p->key == 0)
            p->key = key;
        if (p->key == key)
            return p;
    }
    return &places[0];
}

static void come_after(const struct last_calls *last, uintptr_t pc)
{
    for (unsigned i = 0; i < last->count; i++)
        call_after(last->calls[i], pc);
}

/* With calls of too many threads, each new one comes after an old one and stands for both. */
static void add_call(struct last_calls *last, uintptr_t pc)
{
    unsigned at = 0;

    while (at < last->count && last->calls[at].thread != channel_thread())
        at++;
    if (at == CALLS)
        call_after(last->calls[at = 0], pc);
    last->count += at == last->count;
    last->calls[at] = call_note(pc);
}

void place_look(uint64_t key, uintptr_t pc)
{
    struct meeting *p = meeting_place(key);

    come_after(&p->changes, pc);
    add_call(&p->looks, pc);
}

void place_overwrite(uint64_t key, uintptr_t pc)
{
    struct meeting *p = meeting_place(key);

    come_after(&p->looks, pc);
    add_call(&p->changes, pc);
}

static void change(struct meeting *p, uintptr_t pc)
{
    come_after(&p->changes, pc);
    come_after(&p->looks, pc);
    p->changes.count = p->looks.count = 0;
    add_call(&p->changes, pc);
}

void place_change(uint64_t key, uintptr_t pc)
{
    change(meeting_place(key), pc);
}

void place_change_all(uintptr_t pc)
{
    for (unsigned i = 0; i < PLACES; i++)
        if (places[i].looks.count || places[i].changes.count)
            change(&places[i], pc);
}

void place_after_all(uintptr_t pc)
{
    for (unsigned i = 0; i < PLACES; i++)
        come_after(&places[i].changes, pc);
}

void place_after_changes(uint64_t key, uintptr_t pc)
{
    come_after(&meeting_place(key)->changes, pc);
}

static const uint64_t start = UINT64_C(0xcbf29ce484222325);

static uint64_t mix(uint64_t key, uint64_t byte)
{
    return (key ^ byte) * UINT64_C(0x100000001b3);
}

static uint64_t mix_number(uint64_t key, uint64_t number)
{
    for (unsigned i = 0; i < sizeof number; i++)
        key = mix(key, number >> (8 * i) & 0xff);
    return key;
}

uint64_t place_content(uint64_t device, uint64_t number)
{
    return (device * UINT64_C(0x9e3779b97f4a7c15) ^ number) | 1;
}

uint64_t place_variable(const char *name)
{
    uint64_t key = mix(start, 'E');

    for (; *name && *name != '='; name++)
        key = mix(key, (unsigned char)*name);
    return key | 1;
}

uint64_t place_path(const char *path)
{
    uint64_t key = mix(start, 'P');

    for (; *path; path++)
        key = mix(key, (unsigned char)*path);
    return key | 1;
}

/* Where the last part of a path begins and ends: slashes behind it do not matter. */
static void last_part(const char *path, size_t *begin, size_t *end)
{
    for (*end = 0; path[*end];)
        ++*end;
    while (*end > 1 && path[*end - 1] == '/')
        --*end;
    for (*begin = *end; *begin > 0 && path[*begin - 1] != '/';)
        --*begin;
}

uint64_t place_name(uint64_t device, uint64_t number, const char *path)
{
    uint64_t key = mix_number(mix_number(mix(start, 'N'), device), number);
    size_t begin, end;

    last_part(path, &begin, &end);
    for (; begin < end; begin++)
        key = mix(key, (unsigned char)path[begin]);
    return key | 1;
}

bool place_folder(const char *path, char *folder, size_t room)
{
    size_t begin, end;

    last_part(path, &begin, &end);
    if (begin == end || begin + 2 > room || (end - begin <= 2 && path[end - 1] == '.'))
        return false;
    for (size_t i = 0; i < begin; i++)
        folder[i] = path[i];
    if (begin == 0)
        folder[begin++] = '.';
    folder[begin] = '\0';
    return true;
}
