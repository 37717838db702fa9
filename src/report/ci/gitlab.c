/* GitLab's code quality report: a list of issues, identified by fingerprint. Suppressed findings are left out:
 * the format has no field for them. */
#include "base/map.h"
#include "report/ci/card.h"
#include "report/ci/rules.h"
#include "report/fingerprint.h"
#include "report/format.h"

#include <string.h>

static const char *severity_of(const struct card *card)
{
    if (card->confirmation == CONFIRMATION_OTHER_PATH)
        return "info";
    if (card->confirmation == CONFIRMATION_UNDECIDED)
        return "minor";
    if (!severity_is_problem(card->severity))
        return "info";
    if (card->severity <= SEVERITY_RACE)
        return "critical";
    return rule_of(card->property)->level == RULE_ERROR ? "major" : "minor";
}

static void put_issue(struct json_out *out, const struct deck *deck, size_t finding)
{
    struct buffer path = {0};
    char fingerprint[FINGERPRINT_ROOM] = "";
    struct card card;
    uint32_t line = 0;

    deck->deal(deck, finding, &card);
    if (deck->marks)
        fingerprint_text(deck->marks->found[finding].fingerprint, fingerprint);
    card_path(deck, "", false, &path, &line);
    if (card.places_count > 0)
        card_path(deck, card.places[card_main_place(&card)].location, false, &path, &line);
    json_object_open(out, NULL);
    json_text(out, "description", card.title);
    json_text(out, "check_name", rule_of(card.property)->id);
    json_text(out, "fingerprint", fingerprint);
    json_text(out, "severity", severity_of(&card));
    json_object_open(out, "location");
    json_bytes(out, "path", path.text, path.text_count);
    json_object_open(out, "lines");
    json_count(out, "begin", line > 0 ? line : 1);
    json_close(out);
    json_close(out);
    json_close(out);
    card_free(&card);
    buffer_free(&path);
}

static void write_gitlab(const struct deck *deck, struct json_out *out)
{
    struct map seen = {0}; /* fingerprints: of findings that share one GitLab keeps the first */

    out->spaced = true;
    json_array_open(out, NULL);
    for (size_t i = 0; i < deck->found->findings_count; i++) {
        if (mark_is_suppressed(deck->marks, i) ||
            (deck->marks && (*map_at(&seen, deck->marks->found[i].fingerprint))++ > 0))
            continue;
        json_line(out, 2);
        put_issue(out, deck, i);
    }
    map_free(&seen);
    json_line(out, 0);
    json_close(out);
}

enum status report_gitlab(const struct results *results, const struct model *model,
                          const struct report_options *options, FILE *to, struct error *err)
{
    return deck_report(results, model, options, write_gitlab, to, err);
}

enum status recalled_gitlab(const struct report *report, const struct report_options *options, FILE *to,
                            struct error *err)
{
    return deck_recall(report, options, write_gitlab, to, err);
}
