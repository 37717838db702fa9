/* Writes scripts as text (docs/schedule-format.md). */
#include "replay/script.h"
#include "trace/output.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put(struct output *out, const char *text)
{
    output_write(out, text, strlen(text));
}

/* A name of a field: what would end the field or the line becomes '_'. */
static void put_name(struct output *out, const char *text)
{
    for (; *text; text++)
        output_write(out, *text == '|' || (unsigned char)*text < ' ' ? "_" : text, 1);
}

static void put_line(struct output *out, const char *word, const char *text)
{
    put(out, word);
    put_name(out, text);
    put(out, "\n");
}

static void put_head(struct output *out, const struct schedule_script *s)
{
    static const char *const policies[] = {"random", "pct", "round-robin"};
    char line[256];

    put(out, "heddle-schedule 1\n");
    if (s->title)
        put_line(out, "title ", s->title);
    if (s->program)
        put_line(out, "program ", s->program);
    if (s->java)
        put_line(out, *s->java ? "java " : "java", s->java);
    if (s->effects)
        put(out, "effects\n");
    for (size_t i = 0; i < s->modules_count; i++) {
        put(out, "module ");
        put(out, s->modules[i].build);
        put_line(out, " ", s->modules[i].path);
    }
    snprintf(line, sizeof line, "mode %s\nseed %" PRIu64 "\npolicy %s\npasses %d\n",
             s->mode == SCRIPT_EXACT ? "exact" : "order", s->seed, policies[s->policy < 3 ? s->policy : 0],
             s->two_pass ? 2 : 1);
    put(out, line);
    if (s->clocks[0]) {
        snprintf(line, sizeof line, "clocks %" PRIu64 " %" PRIu64 "\n", s->clocks[0], s->clocks[1]);
        put(out, line);
    }
    if (s->expected.known) {
        snprintf(line, sizeof line, "expect %" PRIu32 " %016" PRIx64 " %016" PRIx64 "\n", s->expected.status,
                 s->expected.sums[0], s->expected.sums[1]);
        put(out, line);
    }
}

static void put_threads(struct output *out, const struct schedule_script *s)
{
    char line[256];

    for (size_t i = 0; i < s->threads_count; i++) {
        const struct script_name *t = &s->threads[i];
        if (t->parent)
            snprintf(line, sizeof line, "thread %zu %" PRIu32 ".%" PRIu32 " ", i, t->parent - 1, t->ordinal);
        else
            snprintf(line, sizeof line, "thread %zu -.%" PRIu32 " ", i, t->ordinal);
        put_line(out, line, names_text(&s->texts, t->name));
    }
    for (size_t i = 0; i < s->inputs_count; i++) {
        snprintf(line, sizeof line, "input %" PRIu32 " %" PRIu32 " %" PRIu64 "\n", s->inputs[i].thread,
                 s->inputs[i].kind, s->inputs[i].value);
        put(out, line);
    }
}

static void put_step(struct output *out, const struct schedule_script *s, const struct schedule_step *step)
{
    char line[256];

    assert(step->thread < s->threads_count);
    if (step->position == STEP_UNKNOWN)
        snprintf(line, sizeof line, "@end|");
    else
        snprintf(line, sizeof line, "%c%" PRIu64 "%s|", s->mode == SCRIPT_EXACT ? '@' : '#', step->position,
                 step->attempt ? "?" : "");
    put(out, line);
    put_name(out, names_text(&s->texts, s->threads[step->thread].name));
    if (step->any_op) {
        put(out, "|go|\n");
        return;
    }
    snprintf(line, sizeof line, "|%s%s", kind_word(op_kind(step->op)), order_suffix(op_order(step->op)));
    put(out, line);
    if (step->arg != NAME_NONE) {
        put(out, "(");
        put_name(out, names_text(&s->texts, step->arg));
        put(out, ")");
    }
    put(out, "|");
    if (step->location != NAME_NONE)
        put_name(out, names_text(&s->texts, step->location));
    put(out, "\n");
}

static bool same_call(const struct schedule_step *a, const struct schedule_step *b)
{
    return a->thread == b->thread && a->position == b->position;
}

/* Whether the step is needed to follow the script: the last of a run, or one before or after the middle of a wait. */
static bool needed(const struct schedule_script *s, size_t i)
{
    const struct schedule_step *step = &s->steps[i];

    if (s->mode == SCRIPT_ORDER || i + 1 == s->steps_count || step->attempt)
        return true;
    return step[1].thread != step->thread || same_call(step, step + 1) || (i > 0 && same_call(step, step - 1));
}

enum status script_write(const struct schedule_script *s, const char *path, struct error *err)
{
    struct output *out;

    if (output_open(&out, path, err) != HEDDLE_OK)
        return err->status;
    put_head(out, s);
    put_threads(out, s);
    for (size_t i = 0; i < s->steps_count; i++)
        if ((s->steps[i].any_op || s->steps[i].position != STEP_UNKNOWN) && needed(s, i))
            put_step(out, s, &s->steps[i]);
    return output_close(out, err);
}
