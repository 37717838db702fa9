/* GitLab's code quality report: a list of issues, told apart by fingerprint. Suppressed findings are left out:
 * the format has no word for them. */
#include "base/map.h"
#include "report/ci/card.h"
#include "report/ci/rules.h"
#include "report/fingerprint.h"
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>
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

static json_t *issue_of(const struct deck *deck, size_t finding)
{
    struct buffer path = {0};
    char fingerprint[FINGERPRINT_ROOM] = "";
    struct card card;
    uint32_t line = 0;
    json_t *issue;

    deck->deal(deck, finding, &card);
    if (deck->marks)
        fingerprint_text(deck->marks->found[finding].fingerprint, fingerprint);
    card_path(deck, "", false, &path, &line);
    if (card.places_count > 0)
        card_path(deck, card.places[card_main_place(&card)].location, false, &path, &line);
    issue = json_pack("{s:s,s:s,s:s,s:s,s:{s:s%,s:{s:I}}}", "description", card.title, "check_name",
                      rule_of(card.property)->id, "fingerprint", fingerprint, "severity", severity_of(&card),
                      "location", "path", path.text, path.text_count, "lines", "begin",
                      (json_int_t)(line > 0 ? line : 1));
    card_free(&card);
    buffer_free(&path);
    return issue;
}

static enum status write_gitlab(const struct deck *deck, FILE *to, struct error *err)
{
    struct map seen = {0}; /* fingerprints: of findings that share one GitLab keeps the first */
    bool first = true;

    fputs("[", to);
    for (size_t i = 0; i < deck->found->findings_count; i++) {
        if (mark_is_suppressed(deck->marks, i) ||
            (deck->marks && (*map_at(&seen, deck->marks->found[i].fingerprint))++ > 0))
            continue;
        json_t *issue = issue_of(deck, i);
        char *text = json_dumps(issue, JSON_PRESERVE_ORDER);
        fputs(first ? "\n  " : ",\n  ", to);
        fputs(text, to);
        free(text);
        json_decref(issue);
        first = false;
    }
    map_free(&seen);
    fputs(first ? "]\n" : "\n]\n", to);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}

enum status report_gitlab(const struct results *results, const struct model *model,
                          const struct report_options *options, FILE *to, struct error *err)
{
    struct deck deck;
    enum status status;

    deck_from_results(&deck, results, model, options);
    status = write_gitlab(&deck, to, err);
    deck_free(&deck);
    return status;
}

enum status recalled_gitlab(const struct report *report, const struct report_options *options, FILE *to,
                            struct error *err)
{
    struct deck deck;
    enum status status;

    deck_from_report(&deck, report, options);
    status = write_gitlab(&deck, to, err);
    deck_free(&deck);
    return status;
}
