/* Looks for names, and for the events that have them. */
#include "base/memory.h"
#include "view/view_parts.h"

#include <stdlib.h>
#include <string.h>

void view_write_names(struct view *view, enum name_class class, const char *text, struct json_out *out)
{
    const struct trace *names = htr_ranges_names(view->index.file);
    uint64_t found = 0;

    json_object_open(out, NULL);
    json_array_open(out, "names");
    for (uint32_t id = 0; id < trace_names(names, class); id++) {
        if (!strcasestr(trace_name(names, class, id), text) || found++ >= VIEW_NAMES_MOST)
            continue;
        json_array_open(out, NULL);
        json_count(out, NULL, id);
        json_text(out, NULL, trace_name(names, class, id));
        json_close(out);
    }
    json_close(out);
    json_count(out, "found", found);
    json_close(out);
}

static bool is_target(const struct trace *t, size_t i, struct view_target target)
{
    if (target.class == NAME_LOCATION)
        return t->location[i] == target.id;
    return t->arg[i] == target.id && kind_argument(trace_kind(t, i)) == target.class;
}

enum status view_write_marks(struct view *view, const struct view_range *range, struct view_target target,
                             struct json_out *out, struct error *err)
{
    struct htr_ranges *file = view->index.file;
    uint32_t *counts = memory_new(range->columns, sizeof *counts);
    size_t last = htr_ranges_block_of(file, range->to);
    enum status status = HEDDLE_OK;
    uint64_t all = 0;

    for (size_t block = htr_ranges_block_of(file, range->from); block <= last && status == HEDDLE_OK; block++) {
        struct htr_window window;
        if (!view_block_may_have(&view->index, block, target.class, target.id))
            continue;
        status = htr_ranges_read(file, block, &window, err);
        for (size_t i = 1; status == HEDDLE_OK && i <= window.events->count; i++) {
            uint64_t number = window.before + i;
            if (number >= range->from && number <= range->to && is_target(window.events, i, target)) {
                counts[range_column(range, number)]++;
                all++;
            }
        }
    }
    if (status == HEDDLE_OK) {
        json_object_open(out, NULL);
        json_count(out, "found", all);
        json_array_open(out, "columns");
        for (uint64_t c = 0; c < range->columns; c++)
            json_count(out, NULL, counts[c]);
        json_close(out);
        json_close(out);
    }
    free(counts);
    return status;
}

/* The first event of the window after `event`, or the last one before it; 0: none. */
static uint64_t next_in(const struct htr_window *window, struct view_target target, uint64_t event, bool back)
{
    uint64_t found = 0;

    for (size_t i = 1; i <= window->events->count; i++) {
        uint64_t number = window->before + i;
        if (!is_target(window->events, i, target))
            continue;
        if (!back && number > event)
            return number;
        if (back && number < event)
            found = number;
    }
    return found;
}

enum status view_next(struct view *view, struct view_target target, uint64_t event, bool back, uint64_t *found,
                      struct error *err)
{
    struct htr_ranges *file = view->index.file;
    size_t blocks = htr_ranges_blocks(file);
    size_t block = htr_ranges_block_of(file, event == 0 ? 1 : event);

    *found = 0;
    for (; block < blocks && *found == 0; block += back ? (size_t)-1 : 1) { /* past the first, it wraps */
        struct htr_window window;
        if (!view_block_may_have(&view->index, block, target.class, target.id))
            continue;
        if (htr_ranges_read(file, block, &window, err) != HEDDLE_OK)
            return err->status;
        *found = next_in(&window, target, event, back);
    }
    return HEDDLE_OK;
}
