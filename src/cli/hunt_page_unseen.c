/* The part of a hunt's page about what no run has shown. */
#include "cli/hunt_page.h"
#include "cli/hunt_tell.h"

enum { UNSEEN_MOST = 500 };

/* Opens a list of so many things: "2 places that no thread reached"; false: there are none. */
static bool open_list(struct buffer *b, size_t count, const char *thing, const char *what)
{
    if (count > 0)
        page_put(b, "<details><summary>%zu %s%s %s</summary><ul>", count, thing, count == 1 ? "" : "s", what);
    return count > 0;
}

static void put_item(struct buffer *b, const char *before, const char *text, const char *after)
{
    buffer_text(b, before);
    buffer_markup(b, text);
    buffer_text(b, after);
}

static void put_unseen_pairs(struct buffer *b, const struct hunt *h)
{
    size_t shown = 0, count = hunt_unseen_pairs(h);

    if (!open_list(b, count, "pair", "of conflicting accesses that could come one right after the other"))
        return;
    for (size_t i = hunt_next_unseen(h, 0); i < h->pairs_count && shown < UNSEEN_MOST;
         i = hunt_next_unseen(h, i + 1), shown++) {
        put_item(b, "<li><code>", h->pairs[i].first, "</code>, then ");
        put_item(b, "<code>", h->pairs[i].second, "</code></li>");
    }
    buffer_text(b, count > shown ? "<li>and more, in hunt.json</li></ul></details>\n" : "</ul></details>\n");
}

static void put_unreached(struct buffer *b, const struct hunt *h)
{
    size_t shown = 0, count = hunt_count_unreached(h);

    if (!open_list(b, count, "place", "of the program's code that no thread reached"))
        return;
    for (size_t i = 0; i < h->code_count && shown < UNSEEN_MOST; i++)
        if (!hunt_is_reached(h, i)) {
            put_item(b, "<li><code>", h->code[i].text, "</code></li>");
            shown++;
        }
    buffer_text(b, count > shown ? "<li>and more, in hunt.json</li></ul></details>\n" : "</ul></details>\n");
}

static void put_unseen_sources(struct buffer *b, const struct hunt *h)
{
    if (!open_list(b, hunt_unseen_sources(h), "write", "that a read is predicted to see"))
        return;
    for (size_t i = 0; i < h->problems_count; i++)
        if (h->problems[i].source && !map_get(&h->covered[COVER_SOURCES], h->problems[i].source))
            put_item(b, "<li>", h->problems[i].title, "</li>");
    buffer_text(b, "</ul></details>\n");
}

static void put_missed_candidates(struct buffer *b, const struct hunt *h)
{
    size_t count = 0;

    for (size_t i = 0; i < h->candidates_count; i++)
        count += !hunt_is_known(h, h->candidates[i].fingerprint);
    if (!open_list(b, count, "candidate", "that did not happen"))
        return;
    for (size_t i = 0; i < h->candidates_count; i++)
        if (!hunt_is_known(h, h->candidates[i].fingerprint))
            put_item(b, "<li>", h->candidates[i].title, "</li>");
    buffer_text(b, "</ul></details>\n");
}

void page_unseen(struct buffer *b, const struct hunt *h)
{
    size_t before;

    buffer_text(b, "<h2>Never seen</h2>");
    before = b->text_count;
    put_unreached(b, h);
    put_unseen_pairs(b, h);
    put_unseen_sources(b, h);
    put_missed_candidates(b, h);
    if (b->text_count == before)
        buffer_text(b, "<p>Nothing that is known of.</p>\n");
}
