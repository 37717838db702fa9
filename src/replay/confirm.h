/* Makes a finding happen in the real program, and reports what changes. */
#pragma once
#include "replay/outcome.h"
#include "replay/plan.h"

struct replay_verdict {
    bool confirmed;        /* the program did what the finding says it can do */
    enum change change;    /* the worst of all runs */
    char outcome[600];     /* in words: "same", "crash (…)" */
    bool diverged;         /* the program did not follow the schedule */
    char divergence[1200]; /* expected and got */
    char reason[512];      /* a possible reason; "": unknown */
    uint64_t sum;          /* of all that happened, in every run: equal when it went the same way */
    uint32_t switches;     /* of the schedule that was followed */
    bool as_found;         /* the schedule as it was found shows more than the minimised one */
    uint32_t runs;
    struct buffer text; /* what was seen, in lines */
};

/* Runs the program under the finding's schedule, minimised, a race in both orders. Fails only when it could not
 * be run. */
enum status replay_confirm(struct replay_case *c, const struct finding *finding, struct replay_verdict *verdict,
                           struct error *err);
/* The script for the finding, minimised or as it was found, with what its runs are to be compared with. `id`
 * goes into its title.
 */
enum status replay_finding_script(struct replay_case *c, const struct finding *finding, bool as_found,
                                  const char *id, struct schedule_script *script, struct error *err);

/* The step at which a debugger stops: the one that decides the finding. */
uint64_t replay_deciding_step(const struct finding *finding, const struct schedule_script *script);

/* Notes in the script how a run ended: what its runs are to be compared with. */
void replay_expect(struct schedule_script *script, const struct outcome *outcome);

/* How a run of a kept script compares with what the script expects; CHANGE_NONE when it expects nothing. */
enum change replay_against_expectation(const struct schedule_script *script, const struct outcome *now);

void replay_verdict_free(struct replay_verdict *verdict);

/* What replaying showed of a finding, short. */
struct replay_note {
    bool confirmed;
    enum change change;
    char *outcome; /* in words */
};

/* Makes every finding of the list happen. `notes` has one for each, to be freed by replay_notes_free; when the
 * user asks to stop (settings.stop) those that are left have none. `progress`, if not NULL, is called with the
 * number done. */
enum status replay_confirm_all(struct replay_case *c, const struct finding_list *list,
                               struct replay_note **notes, void (*progress)(size_t done, size_t all),
                               struct error *err);
void replay_notes_free(struct replay_note *notes, size_t count);
