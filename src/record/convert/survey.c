/* The first walk over raw records: cells, things done once, modules, threads. */
#include "base/memory.h"
#include "record/code_reach.h"
#include "record/convert/walk.h"
#include "record/program.h"

#include <stdio.h>
#include <string.h>

struct once *once_at(struct converter *c, const struct record *r)
{
    uint32_t *index = map_at(&c->onces, cells_id(&c->cells, address_of(r)));

    if (*index == 0) {
        ARRAY_PUSH(c, once, (struct once){0});
        *index = (uint32_t)c->once_count;
    }
    if (record_kind(r->word) == RECORD_ONCE_DONE && r->value)
        *map_at(&c->guards, address_of(r)) = *index;
    return &c->once[*index - 1];
}

bool is_guard_looked_at(struct converter *c, const struct record *r)
{
    unsigned kind = record_kind(r->word);
    uint32_t index;

    if (kind != RECORD_ATOMIC_READ && !(c->binary && kind == RECORD_READ))
        return false;
    index = map_get(&c->guards, address_of(r));
    return index != 0 && c->once[index - 1].done && (r->value & 0xff) != 0;
}

bool first_sight(struct converter *c, const struct once *once)
{
    uint32_t *saw = map_at(&c->saw, map_pair((uint32_t)(once - c->once), c->thread));

    return (*saw)++ == 0;
}

/* Whether it is the OpenMP library of the runtime, as built or as installed: its synchronization is recorded. */
static bool is_own_openmp(const char *path)
{
    return strstr(path, "/runtime/openmp/libgomp.so") || strstr(path, "/heddle/openmp/libgomp.so");
}

static void note_plain(struct converter *c)
{
    const char *slash = strrchr(c->path, '/'), *file = slash ? slash + 1 : c->path;
    size_t used = strlen(c->plain);

    if (is_own_openmp(c->path))
        return;
    if (!c->instrumented && !library_is_usual(file) && used + strlen(file) + 2 < sizeof c->plain)
        snprintf(c->plain + used, sizeof c->plain - used, "%s%s", used ? " " : "", file);
}

/* A module or a declared block: its name follows. */
static void begin_text(struct converter *c, const struct record *r)
{
    bool is_module = record_kind(r->word) == RECORD_MODULE;

    c->path_wanted = r->value < sizeof c->path ? r->value : 0;
    c->path_count = 0;
    c->block = is_module ? (struct record){0} : *r;
    c->block_named = !is_module && record_kind(r->word) != RECORD_NAME && c->path_wanted == 0;
    c->called = record_kind(r->word) == RECORD_NAME ? (uint32_t)address_of(r) + 1 : 0;
    if (is_module) {
        c->module = address_of(r);
        c->instrumented = pc_of(r) != 0;
    }
}

static void read_text(struct converter *c, const struct record *r)
{
    uint64_t part[2] = {r->pc, r->value};
    size_t take = record_size(r->word);

    if (c->path_wanted == 0 || c->path_count + take > c->path_wanted || take > sizeof part)
        return;
    memcpy(c->path + c->path_count, part, take);
    c->path_count += take;
    if (c->path_count < c->path_wanted)
        return;
    c->path[c->path_count] = '\0';
    c->path_wanted = 0;
    if (c->called) {
        naming_called(&c->naming, c->called - 1, c->path, c->path_count);
    } else if (c->block.word) {
        c->block_named = true;
    } else if (c->cells.surveying) {
        symbols_module(c->naming.symbols, c->path, c->module);
        note_plain(c);
        if (c->instrumented)
            keep_module(c, c->path);
    }
}

/* First walk: whether the thread began in a function that is not the program's own. */
static bool lacks_start(struct converter *c)
{
    return c->cells.surveying && !c->binary && naming_lacks_start(&c->naming, c->thread);
}

bool walk_common(struct converter *c, const struct record *r)
{
    switch (record_kind(r->word)) {
    case RECORD_THREAD:
        c->thread = (uint32_t)r->value;
        c->unnamed = lacks_start(c);
        return true;
    case RECORD_START:
    case RECORD_ALLOC:
    case RECORD_MAP:
    case RECORD_FRESH:
        cells_renew(&c->cells, address_of(r), r->value + record_size(r->word));
        return true;
    case RECORD_CALL:
        callers_add(&c->callers, address_of(r), pc_of(r), r->value);
        return true;
    case RECORD_STACK:
        c->stacked = true;
        callers_enter(&c->callers, c->thread, r->value);
        return true;
    case RECORD_FRAME:
        return true;
    case RECORD_TEXT:
        read_text(c, r);
        return true;
    case RECORD_MODULE:
    case RECORD_NAME:
    case RECORD_BLOCK:
    case RECORD_BLOCK + 1:
    case RECORD_BLOCK + 2:
    case RECORD_BLOCK_LAST:
        begin_text(c, r);
        return true;
    default:
        return false;
    }
}

static void survey_pointers(struct converter *c, const struct record *r)
{
    if (record_size(r->word) == 8 && r->pc & RECORD_VALUED)
        pointers_wrote(&c->naming.pointers, address_of(r), r->value);
    else
        pointers_overwrote(&c->naming.pointers, address_of(r), length_of(r));
}

/* A thread that a library's function started is named by the program's own that this one called. Some never call one, as
 * the workers of OpenMP's library: a place that said nothing is not asked again. */
static void note_start(struct converter *c, const struct record *r)
{
    uint32_t path = callers_path(&c->callers, c->thread);
    struct nameless *known = &c->nameless[(pc_of(r) ^ path * 0x9e3779b1u) % NAMELESS];
    char place[1536];
    uint64_t first;

    if (known->pc == pc_of(r) && known->path == path)
        return;
    first = callers_first(&c->callers, c->naming.symbols, c->thread, pc_of(r));
    symbols_place(c->naming.symbols, first, place, sizeof place);
    if (strncmp(place, "/usr/", 5) == 0) {
        *known = (struct nameless){pc_of(r), path};
        return;
    }
    naming_began(&c->naming, c->thread, first);
    c->unnamed = false;
}

static inline void survey_type(struct converter *c, const struct record *r)
{
    if (c->unnamed)
        note_start(c, r);
    if (!c->binary)
        typed_blocks_note(&c->naming.typed, c->naming.symbols, pc_of(r), address_of(r),
                          c->naming.pointers.blocks);
}

static void survey_one(struct converter *c, const struct record *r)
{
    unsigned kind = record_kind(r->word);

    c->grounded |= kind <= RECORD_LAST_EVENT && (r->pc & RECORD_GROUNDED) != 0;
    if (kind == RECORD_ALLOC) {
        pointers_add(&c->naming.pointers, address_of(r));
        typed_blocks_add(&c->naming.typed, address_of(r), r->value, c->naming.pointers.blocks - 1);
    } else if (kind == RECORD_GROW) {
        typed_blocks_grow(&c->naming.typed, address_of(r), r->value);
    }
    if (kind == RECORD_FRAME && address_of(r) == 0)
        frames_begin(&c->naming.frames, c->thread);
    else if (kind == RECORD_FRAME)
        frames_add(&c->naming.frames, pc_of(r), address_of(r));
    if (walk_common(c, r)) {
        c->block_named = false; /* the second walk writes it */
        if (kind == RECORD_START) {
            naming_start(&c->naming, c->thread, pc_of(r));
            c->unnamed = lacks_start(c);
        }
        return;
    }
    if (kind == RECORD_ONCE_DONE) {
        struct once *once = once_at(c, r);
        once->done = true;
        first_sight(c, once);
        return;
    }
    if (kind == RECORD_ONCE_SEEN || is_guard_look(c, r)) {
        struct once *once = once_at(c, r);
        once->seen += first_sight(c, once);
        return;
    }
    if (c->unnamed && kind >= RECORD_ACQUIRE && kind <= RECORD_SEM_WAIT && pc_of(r))
        note_start(c, r);
    if (kind == RECORD_FREE && record_size(r->word) != FREED_FRAME)
        cells_survey_touched(&c->cells, address_of(r), r->value, c->thread, SESSION_FREED);
    if (is_use(r))
        cells_survey(&c->cells, address_of(r), 1, c->thread, kind == RECORD_NEW);
    if (kind == RECORD_SEM_INIT || kind == RECORD_POST || kind == RECORD_SEM_WAIT)
        tokens_survey(&c->tokens, cells_id(&c->cells, address_of(r)), kind, r->value);
    if (kind == RECORD_WRITE || kind == RECORD_ATOMIC_WRITE || kind == RECORD_RMW || kind == RECORD_CAS)
        survey_pointers(c, r);
    if (kind == RECORD_BY_MEMORY) { /* looked at in both walks, or cells would differ */
        cells_survey(&c->cells, address_of(r), r->value, c->thread, false);
    } else if (record_is_access(kind) && length_of(r) > 0) {
        survey_type(c, r);
        cells_survey(&c->cells, address_of(r), length_of(r), c->thread,
                     kind != RECORD_READ && kind != RECORD_ATOMIC_READ);
        if (c->binary)
            atomics_survey(&c->atomics, &c->cells, r);
    } else if (kind == RECORD_NEW || kind == RECORD_SEM_VALUE ||
               (kind >= RECORD_ACQUIRE && kind <= RECORD_SEM_WAIT && kind != RECORD_FORK &&
                kind != RECORD_JOIN))
        cells_id(&c->cells, address_of(r));
}

/* The same for nearly all of them: a plain access of a few bytes. */
static inline bool survey_plain(struct converter *c, const struct record *r)
{
    unsigned kind = record_kind(r->word), size = record_size(r->word);

    if ((kind != RECORD_READ && kind != RECORD_WRITE) || size == 0 || c->binary)
        return false;
    if (kind == RECORD_WRITE)
        survey_pointers(c, r);
    survey_type(c, r);
    cells_survey(&c->cells, address_of(r), size, c->thread, kind == RECORD_WRITE);
    c->left_out++;
    survey_labels_access(c, r);
    c->grounded |= (r->pc & RECORD_GROUNDED) != 0;
    c->ticks_out += r->pc >> RECORD_TICK_SHIFT;
    c->any_out = true;
    return true;
}

/* In place of the accesses since the last record that stays. */
static void tell_ticks(struct converter *c)
{
    if (c->any_out)
        ARRAY_PUSH(c, rest, (struct record){record_word(0, RECORD_TICKS, 0), 0, c->ticks_out});
    c->any_out = false;
    c->ticks_out = 0;
    survey_labels_tell(c);
}

/* A second thread that touches the bytes, as far as the cells can tell. */
static void survey_wanted(struct converter *c, const struct record *r)
{
    unsigned kind = record_kind(r->word);

    if (!wants_pass(&c->wants, r))
        return;
    if (record_is_access(kind) && length_of(r) > 0)
        cells_survey(&c->cells, address_of(r), length_of(r), CELLS_EVERYBODY, true);
    else if (is_use(r))
        cells_survey(&c->cells, address_of(r), 1, CELLS_EVERYBODY, true);
    else if (kind == RECORD_FREE)
        cells_survey_touched(&c->cells, address_of(r), r->value, CELLS_EVERYBODY, SESSION_FREED);
}

const struct batch_rest *converter_survey(struct converter *c, const struct record *records, size_t count)
{
    struct cells_ahead ahead = {0};
    struct record room;

    cells_begin_batch(&c->cells);
    c->rest_count = 0;
    c->left_out = 0;
    survey_labels_begin(&c->survey);
    for (size_t i = 0; i < count; i++) {
        const struct record *r = &records[i];
        if (!c->cells.batch_private && i + 2 * CELLS_STEP < count)
            cells_expect_survey(&c->cells, &ahead, address_of(&r[2 * CELLS_STEP]));
        if (c->aliases.list_count > 0)
            r = aliases_follow(&c->aliases, r, &room);
        if (!survey_plain(c, r) && !survey_labels_record(c, r)) {
            aliases_pass(&c->aliases, &records[i]);
            tell_ticks(c);
            ARRAY_PUSH(c, rest, records[i]);
            survey_one(c, r);
        }
        if (c->wants.list_count > 0)
            survey_wanted(c, r);
        if (c->reach && record_kind(r->word) <= RECORD_LAST_EVENT)
            code_reach_see(c->reach, pc_of(r));
    }
    tell_ticks(c);
    while (count > 0 &&
           (record_kind(records[count - 1].word) > RECORD_LAST_EVENT || !pc_of(&records[count - 1])))
        count--;
    if (count > 0)
        c->last_pc = pc_of(&records[count - 1]);
    c->told = (struct batch_rest){c->rest, c->rest_count, c->left_out, c->cells.runs, c->cells.runs_count};
    return c->left_out > 3 * c->rest_count && survey_labels_fit(&c->survey) && cells_batch_known(&c->cells)
               ? &c->told
               : NULL;
}
