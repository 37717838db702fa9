/* Shortening the log of a thread that has been alone so far.
 *
 * Whatever another thread does comes after all of this, so each of these reads sees the same in every run, and nothing that
 * depends on them can come out otherwise. */
#include "startup.h"
#include "base/memory.h"
#include "runtime/protocol/java_log.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Variables whose last write was met: open addressing, at most half full. */
struct written_set {
    struct written_variable {
        uint32_t object, field, index;
    } * table;
    size_t room, count;
};

static size_t written_place(const struct written_set *seen, const struct written_variable *v)
{
    uint64_t mixed = (v->object * UINT64_C(0x9e3779b97f4a7c15)) ^ (v->field * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                     ((uint64_t)v->index << 17);
    size_t at = (size_t)((mixed * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (seen->room - 1);

    while ((seen->table[at].object || seen->table[at].field) && memcmp(&seen->table[at], v, sizeof *v) != 0)
        at = (at + 1) & (seen->room - 1);
    return at;
}

static void make_room(struct written_set *seen)
{
    struct written_set old = *seen;

    seen->room = old.room ? old.room * 2 : 1024;
    seen->table = memory_new(seen->room, sizeof *seen->table);
    for (size_t i = 0; i < old.room; i++)
        if (old.table[i].object || old.table[i].field)
            seen->table[written_place(seen, &old.table[i])] = old.table[i];
    free(old.table);
}

/* Whether the variable is met for the first time. */
static bool is_new(struct written_set *seen, const struct written_variable *v)
{
    size_t at;

    if (seen->count * 2 >= seen->room)
        make_room(seen);
    at = written_place(seen, v);
    if (seen->table[at].object || seen->table[at].field)
        return false;
    seen->table[at] = *v;
    seen->count++;
    return true;
}

static bool is_write(unsigned kind)
{
    return kind == JAVA_WRITE || kind == JAVA_STATIC_WRITE;
}

static bool is_access(unsigned kind)
{
    return kind == JAVA_READ || kind == JAVA_STATIC_READ || is_write(kind);
}

static bool tells_grounds(unsigned kind)
{
    return kind >= JAVA_UNION && kind <= JAVA_OUTPUT;
}

static bool bit(const uint8_t *bits, uint64_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

/* From the first record to the last: marks what tells which fields and arrays are touched, and in which order. */
static void choose_first(const struct java_record *records, uint64_t count, const uint32_t *fields,
                         size_t fields_count, uint8_t *stays)
{
    struct written_set seen = {0};

    for (uint64_t i = 0; i < count; i++) {
        const struct java_record *r = &records[i];
        unsigned kind = r->word & 0xff;
        uint32_t field = r->site < fields_count ? fields[r->site] : 0;
        struct written_variable v = {field ? 0 : r->object, field, 0};

        if (kind == JAVA_NONE || kind == JAVA_SKIPPED || tells_grounds(kind) ||
            (is_access(kind) && (v.object || v.field) && !is_new(&seen, &v)))
            continue;
        stays[i / 8] |= (uint8_t)(1u << i % 8);
    }
    free(seen.table);
}

/* From the last record to the first: marks what stays. */
static void choose(const struct java_record *records, uint64_t count, const uint32_t *fields,
                   size_t fields_count, uint8_t *stays)
{
    struct written_set seen = {0};

    for (uint64_t i = count; i-- > 0;) {
        const struct java_record *r = &records[i];
        unsigned kind = r->word & 0xff;
        uint32_t field = r->site < fields_count ? fields[r->site] : 0;
        struct written_variable v = {r->object, field, field ? 0 : r->index};
        bool named = v.object || v.field;

        if (kind == JAVA_NONE || kind == JAVA_SKIPPED || tells_grounds(kind) ||
            (is_access(kind) && named && !(is_write(kind) && is_new(&seen, &v))))
            continue;
        stays[i / 8] |= (uint8_t)(1u << i % 8);
    }
    free(seen.table);
}

/* How many records there will be: what stays, and one for each gap, the last included. */
static uint64_t count_left(const uint8_t *stays, uint64_t count)
{
    uint64_t left = 1;

    for (uint64_t i = 0; i < count; i++)
        left += bit(stays, i) ? 1 : i + 1 < count && bit(stays, i + 1);
    return left;
}

/* How many accesses of the thread the record stands for, of those that go. */
static uint64_t accesses_in(const struct java_record *r)
{
    unsigned kind = r->word & 0xff;

    return kind == JAVA_SKIPPED ? r->value : is_access(kind);
}

static struct java_record skipped(uint32_t thread, uint32_t labels, uint64_t accesses)
{
    return (struct java_record){.word = thread << 8 | JAVA_SKIPPED, .index = labels, .value = accesses};
}

uint64_t startup_shorten(struct java_record *records, uint64_t count, uint32_t labels, const uint32_t *fields,
                         size_t fields_count, bool learns)
{
    uint8_t *stays = memory_new(count / 8 + 1, 1);
    uint64_t to = 0, gap = 0;
    uint32_t thread = 0;
    bool gone = false;

    (learns ? choose_first : choose)(records, count, fields, fields_count, stays);
    if (count_left(stays, count) > count - count / 4) { /* not worth it */
        free(stays);
        return count;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct java_record r = records[i];
        thread = r.word >> 8 > thread ? r.word >> 8 : thread;
        if (bit(stays, i)) {
            if (gone)
                records[to++] = skipped(thread, labels, gap);
            gap = 0;
            gone = false;
            records[to++] = r;
        } else {
            gone = true;
            gap += accesses_in(&r);
        }
        assert(to <= i + 1);
    }
    records[to++] = skipped(thread, labels, gap);
    memset(records + to, 0, (count - to) * sizeof *records);
    free(stays);
    return to;
}
