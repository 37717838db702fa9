/* Questions to the certifier, and whether it answers as expected. */
#include "support/questions.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool answer(struct certifier *c, const struct question *q, uint32_t prefix, struct error *why)
{
    struct finding f = {.property = q->property,
                        .event_count = q->event_count,
                        .events = (uint32_t *)q->events,
                        .schedule = {prefix, q->run_count - prefix, (uint32_t *)q->run + prefix}};

    return q->run_only ? certifier_run_feasible(c, &f.schedule, &q->options, why)
                       : certifier_accepts(c, &f, &q->options, why);
}

void question_check(const struct question *q, const char *reason)
{
    struct certify_index *index;
    struct certifier *c;
    struct trace t;
    uint32_t prefix = 0;

    t = (strchr(q->trace, '\n') ? trace_of : trace_from_words)(q->trace);
    index = certify_index_new(&t);
    c = certifier_new(index);
    do {
        struct error why = {.text = ""};
        bool accepted = answer(c, q, prefix, &why);
        if (accepted != !reason || (reason && !strstr(why.text, reason)))
            fail_msg("%s\nprefix %u: %s, expected %s", q->trace, prefix, accepted ? "accepted" : why.text,
                     reason ? reason : "acceptance");
        assert_int_equal(answer(c, q, prefix, NULL), accepted);
    } while (prefix < q->run_count && q->run[prefix] == prefix + 1 && ++prefix);
    certifier_free(c);
    certify_index_free(index);
    trace_free(&t);
}
