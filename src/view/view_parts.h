/* What the files of this room share. */
#pragma once
#include "base/json_out.h"
#include "view/view.h"

enum {
    VIEW_COLUMNS_MOST = 2000, /* of a picture */
    VIEW_LANES_MOST = 64,
    VIEW_LOCKS_MOST = 16,    /* those held longest in the picture */
    VIEW_EVENTS_MOST = 2000, /* a picture of no more has each of them */
    VIEW_NAMES_MOST = 100,   /* of an answer to a search */
};

/* Events of the trace, in columns. */
struct view_range {
    uint64_t from, to; /* both in the trace */
    uint64_t columns;  /* at least one */
};

static inline uint64_t range_events(const struct view_range *r)
{
    return r->to - r->from + 1;
}

static inline uint64_t range_column(const struct view_range *r, uint64_t event)
{
    return (event - r->from) * r->columns / range_events(r);
}

/* An object or place that is looked for. */
struct view_target {
    enum name_class class;
    uint32_t id;
};

/* Writes the picture of the range, from lane `first` on; fails when the file has changed. */
enum status view_write_range(struct view *view, const struct view_range *range, uint64_t first,
                             struct json_out *out, struct error *err);

/* Writes the names of the class that contain the text, whatever its case; how many there are. */
void view_write_names(struct view *view, enum name_class class, const char *text, struct json_out *out);

/* Writes in which columns the target is, with a count each. */
enum status view_write_marks(struct view *view, const struct view_range *range, struct view_target target,
                             struct json_out *out, struct error *err);

/* The next event of the target after `event`, or the last one before it; 0: there is none. */
enum status view_next(struct view *view, struct view_target target, uint64_t event, bool back, uint64_t *found,
                      struct error *err);

/* The page. */
const char *view_page(size_t *length);
