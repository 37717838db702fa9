/* The picture of a range of events: what each thread does in each column, who holds which lock, and the events themselves once
 * they are few. */
#include "base/memory.h"
#include "view/view_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A lock held by a thread over events after `before` up to `until`. */
struct lock_span {
    uint32_t lock;
    thread_id owner;
    uint64_t before, until;
};

struct picture {
    const struct view_index *index;
    const struct view_range *range;
    uint64_t first, lanes; /* threads: the first, and how many */
    uint32_t (*counts)[2]; /* by lane and column: accesses, others */
    uint64_t *totals;      /* by lock: events of the range for which it was held */
    struct lock_span *spans;
    size_t spans_count, spans_capacity;
    uint32_t chosen[VIEW_LOCKS_MOST];
    size_t chosen_count;
};

struct column_lock {
    thread_id owner;
    uint64_t held;
};

/* Whether columns are so wide that stretches will do. */
static bool is_coarse(const struct picture *p)
{
    return range_events(p->range) / p->range->columns >= UINT64_C(1) << p->index->shift;
}

static void count_lane(struct picture *p, thread_id thread, uint64_t column, uint32_t accesses, uint32_t others)
{
    if (thread < p->first || thread - p->first >= p->lanes)
        return;
    uint32_t *cell = p->counts[(thread - p->first) * p->range->columns + column];
    cell[0] += accesses;
    cell[1] += others;
}

static void hold(struct picture *p, uint32_t lock, thread_id owner, uint64_t before, uint64_t until)
{
    if (before < p->range->from - 1)
        before = p->range->from - 1;
    if (until > p->range->to)
        until = p->range->to;
    if (before >= until)
        return;
    p->totals[lock] += until - before;
    ARRAY_PUSH(p, spans, (struct lock_span){lock, owner, before, until});
}

/* Of stretches that are partly in the range, what is in them counts for the column they begin in. */
static void draw_stretches(struct picture *p)
{
    const struct view_index *x = p->index;
    uint64_t length = UINT64_C(1) << x->shift;

    for (size_t s = (size_t)((p->range->from - 1) >> x->shift); s < x->stretches; s++) {
        uint64_t before = (uint64_t)s << x->shift;
        if (before >= p->range->to)
            break;
        uint64_t first = before + 1 < p->range->from ? p->range->from : before + 1;
        for (size_t i = x->stretch_lanes[s]; i < x->stretch_lanes[s + 1]; i++)
            count_lane(p, x->lanes[i].thread, range_column(p->range, first), x->lanes[i].accesses,
                       x->lanes[i].others);
        for (size_t i = x->stretch_locks[s]; i < x->stretch_locks[s + 1]; i++) {
            uint64_t held = x->locks[i].held < length ? x->locks[i].held : length;
            hold(p, x->locks[i].lock, x->locks[i].owner, before, before + held);
        }
    }
}

static enum status draw_events(struct picture *p, struct error *err)
{
    struct lock_follower follower = {0};
    struct htr_ranges *file = p->index->file;
    size_t block = htr_ranges_block_of(file, p->range->from), last = htr_ranges_block_of(file, p->range->to);
    enum status status = HEDDLE_OK;

    lock_follow_from(&follower, p->index, block);
    for (; block <= last && status == HEDDLE_OK; block++) {
        struct htr_window window;
        status = htr_ranges_read(file, block, &window, err);
        for (size_t i = 1; status == HEDDLE_OK && i <= window.events->count; i++) {
            uint64_t number = window.before + i;
            if (number > p->range->to)
                break;
            enum lock_change change = lock_follow(&follower, window.events, i, number);
            if (change == LOCK_GIVEN_BACK) {
                const struct followed_lock *lock = &follower.locks[window.events->arg[i]];
                hold(p, window.events->arg[i], lock->owner, lock->before, number);
            }
            if (number < p->range->from)
                continue;
            bool access = kind_accesses(trace_kind(window.events, i));
            count_lane(p, window.events->thread[i], range_column(p->range, number), access, !access);
        }
    }
    for (size_t i = 0; i < follower.list_count; i++) {
        const struct followed_lock *lock = &follower.locks[follower.list[i]];
        hold(p, follower.list[i], lock->owner, lock->before, p->range->to);
    }
    lock_follower_free(&follower);
    return status;
}

/* Chooses the locks that are held longest. */
static void choose_locks(struct picture *p, size_t locks)
{
    for (uint32_t lock = 0; lock < locks; lock++) {
        size_t place = p->chosen_count;
        if (p->totals[lock] == 0)
            continue;
        while (place > 0 && p->totals[p->chosen[place - 1]] < p->totals[lock])
            place--;
        if (place == VIEW_LOCKS_MOST)
            continue;
        if (p->chosen_count < VIEW_LOCKS_MOST)
            p->chosen_count++;
        memmove(p->chosen + place + 1, p->chosen + place, (p->chosen_count - 1 - place) * sizeof *p->chosen);
        p->chosen[place] = lock;
    }
}

/* The first event of a column, as events before it. */
static uint64_t column_before(const struct view_range *r, uint64_t column)
{
    return r->from - 1 + (column * range_events(r) + r->columns - 1) / r->columns;
}

static void fill_lock(const struct picture *p, uint32_t lock, struct column_lock *columns)
{
    memset(columns, 0, p->range->columns * sizeof *columns);
    for (size_t i = 0; i < p->spans_count; i++) {
        const struct lock_span *s = &p->spans[i];
        if (s->lock != lock)
            continue;
        for (uint64_t c = range_column(p->range, s->before + 1), before = s->before; before < s->until; c++) {
            uint64_t end = column_before(p->range, c + 1), until = end < s->until ? end : s->until;
            assert(c < p->range->columns);
            if (until > before) {
                columns[c].held += until - before;
                columns[c].owner = s->owner;
                before = until;
            }
        }
    }
}

/* How full a column is, in eighths, of which there is at least one if it is not empty. */
static unsigned level(const struct view_range *r, uint64_t column, const struct column_lock *lock)
{
    uint64_t events = column_before(r, column + 1) - column_before(r, column);
    uint64_t eighths = events ? lock->held * 8 / events : 8;

    return lock->held == 0 ? 0 : eighths < 1 ? 1 : eighths > 8 ? 8 : (unsigned)eighths;
}

/* Bars: the first column, how many, who holds it, how full. */
static void write_bars(const struct picture *p, const struct column_lock *columns, struct json_out *out)
{
    const struct view_range *r = p->range;

    for (uint64_t c = 0, end; c < r->columns; c = end) {
        unsigned full = level(r, c, &columns[c]);
        for (end = c + 1; end < r->columns && columns[end].owner == columns[c].owner &&
                          level(r, end, &columns[end]) == full;)
            end++;
        if (full == 0)
            continue;
        json_array_open(out, NULL);
        json_count(out, NULL, c);
        json_count(out, NULL, end - c);
        json_count(out, NULL, columns[c].owner);
        json_count(out, NULL, full);
        json_close(out);
    }
}

static void write_locks(const struct picture *p, struct json_out *out)
{
    const struct trace *names = htr_ranges_names(p->index->file);
    struct column_lock *columns = memory_new(p->range->columns, sizeof *columns);

    json_array_open(out, "locks");
    for (size_t i = 0; i < p->chosen_count; i++) {
        fill_lock(p, p->chosen[i], columns);
        json_object_open(out, NULL);
        json_count(out, "id", p->chosen[i]);
        json_text(out, "name", trace_name(names, NAME_LOCK, p->chosen[i]));
        json_count(out, "held", p->totals[p->chosen[i]]);
        json_array_open(out, "bars");
        write_bars(p, columns, out);
        json_close(out);
        json_close(out);
    }
    json_close(out);
    free(columns);
}

static void write_lanes(const struct picture *p, struct json_out *out)
{
    const struct trace *names = htr_ranges_names(p->index->file);
    static const char *const rows[] = {"accesses", "others"};

    json_array_open(out, "lanes");
    for (uint64_t lane = 0; lane < p->lanes; lane++) {
        json_object_open(out, NULL);
        json_count(out, "thread", p->first + lane);
        json_text(out, "name", trace_name(names, NAME_THREAD, (uint32_t)(p->first + lane)));
        for (int row = 0; row < 2; row++) {
            json_array_open(out, rows[row]);
            for (uint64_t c = 0; c < p->range->columns; c++)
                json_count(out, NULL, p->counts[lane * p->range->columns + c][row]);
            json_close(out);
        }
        json_close(out);
    }
    json_close(out);
}

static void write_value(const struct trace *t, const struct trace *names, size_t i, struct json_out *out)
{
    enum value_tag tag = t->value_tag ? (enum value_tag)t->value_tag[i] : VALUE_NONE;
    char text[24];

    if (tag == VALUE_NAME) {
        json_text(out, NULL, trace_name(names, NAME_VALUE, (uint32_t)t->value[i]));
        return;
    }
    text[0] = '\0';
    if (tag != VALUE_NONE) /* as text: a page's numbers end at 2^53 */
        snprintf(text, sizeof text, tag == VALUE_NEGATIVE ? "%lld" : "%llu", (unsigned long long)t->value[i]);
    json_text(out, NULL, text);
}

static void write_event(const struct trace *t, size_t i, uint64_t number, struct json_out *out)
{
    enum name_class class = kind_argument(trace_kind(t, i));
    char word[32];

    snprintf(word, sizeof word, "%s%s", kind_word(trace_kind(t, i)), order_suffix(op_order(t->op[i])));
    json_array_open(out, NULL);
    json_count(out, NULL, number);
    json_count(out, NULL, t->thread[i]);
    json_text(out, NULL, word);
    json_text(out, NULL, class < NAME_CLASSES && t->arg[i] != ARG_NONE ? trace_name(t, class, t->arg[i]) : "");
    json_text(out, NULL, t->location[i] == NAME_NONE ? "" : trace_name(t, NAME_LOCATION, t->location[i]));
    write_value(t, t, i, out);
    json_close(out);
}

static enum status write_events(struct view *view, const struct view_range *range, struct json_out *out,
                                struct error *err)
{
    struct htr_ranges *file = view->index.file;
    size_t last = htr_ranges_block_of(file, range->to);

    json_array_open(out, "events");
    for (size_t block = htr_ranges_block_of(file, range->from); block <= last; block++) {
        struct htr_window window;
        if (htr_ranges_read(file, block, &window, err) != HEDDLE_OK)
            return err->status;
        size_t first = range->from > window.before ? (size_t)(range->from - window.before) : 1;
        for (size_t i = first; i <= window.events->count && window.before + i <= range->to; i++)
            write_event(window.events, i, window.before + i, out);
    }
    json_close(out);
    return HEDDLE_OK;
}

enum status view_write_range(struct view *view, const struct view_range *range, uint64_t first,
                             struct json_out *out, struct error *err)
{
    const struct trace *names = htr_ranges_names(view->index.file);
    uint64_t threads = trace_names(names, NAME_THREAD);
    struct picture p = {.index = &view->index, .range = range, .first = first < threads ? first : 0};
    enum status status = HEDDLE_OK;

    p.lanes = threads - p.first < VIEW_LANES_MOST ? threads - p.first : VIEW_LANES_MOST;
    p.counts = memory_new(p.lanes * range->columns + 1, sizeof *p.counts);
    p.totals = memory_new(trace_names(names, NAME_LOCK) + 1, sizeof *p.totals);
    if (is_coarse(&p))
        draw_stretches(&p);
    else
        status = draw_events(&p, err);
    if (status == HEDDLE_OK) {
        choose_locks(&p, trace_names(names, NAME_LOCK));
        json_object_open(out, NULL);
        json_count(out, "from", range->from);
        json_count(out, "to", range->to);
        json_count(out, "columns", range->columns);
        write_lanes(&p, out);
        write_locks(&p, out);
        if (range_events(range) <= VIEW_EVENTS_MOST)
            status = write_events(view, range, out, err);
        if (status == HEDDLE_OK)
            json_close(out);
    }
    free(p.counts);
    free(p.totals);
    free(p.spans);
    return status;
}
