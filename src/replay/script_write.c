/* Writes scripts as text (docs/schedule-format.md). */
#include "base/buffer.h"
#include "base/memory.h"
#include "replay/script.h"
#include "trace/output.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct output *out, const char *text)
{
    output_write(out, text, strlen(text));
}

/* A path, or part of a field: what would end the field or the line becomes '_'. */
static void put_bytes(struct output *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        output_write(out, text[i] == '|' || (unsigned char)text[i] < ' ' ? "_" : &text[i], 1);
}

/* A name, for a person to read: made safe for a terminal. */
static void put_name(struct output *out, const char *text)
{
    struct buffer safe = {0};

    buffer_safe(&safe, text);
    put_bytes(out, safe.text, safe.text_count);
    buffer_free(&safe);
}

static void put_line(struct output *out, const char *word, const char *text)
{
    put(out, word);
    put_name(out, text);
    put(out, "\n");
}

/* The path of a file is kept as it is, since the file is looked for. */
static void put_path(struct output *out, const char *word, const char *path)
{
    put(out, word);
    put_bytes(out, path, strlen(path));
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
        put_path(out, "program ", s->program);
    if (s->java)
        put_line(out, *s->java ? "java " : "java", s->java);
    if (s->effects)
        put(out, "effects\n");
    for (size_t i = 0; i < s->modules_count; i++) {
        put(out, "module ");
        put(out, s->modules[i].build);
        put_path(out, " ", s->modules[i].path);
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

/* Steps without a position of their own, or of a thread that is not known, are not enforced, and not written. */
static bool enforced(const struct schedule_script *s, const struct schedule_step *step)
{
    return (step->any_op || step->position != STEP_UNKNOWN) && step->thread < s->threads_count;
}

/* By step, whether it is needed to follow the script; to be freed. Needed is the last of a run of steps of one
 * thread, each attempt, and all steps that share a position of a thread: they are parts of one call, in which the
 * thread may wait. */
static bool *needed_steps(const struct schedule_script *s)
{
    bool *needed = memory_new(s->steps_count + 1, sizeof *needed);
    size_t *last =
        memory_new(s->threads_count + 1, sizeof *last); /* by thread: its last step so far, plus one */
    size_t before = 0;                                  /* the last step of any thread, plus one */

    for (size_t i = 0; i < s->steps_count; i++) {
        const struct schedule_step *step = &s->steps[i];
        if (!enforced(s, step))
            continue;
        size_t own = last[step->thread];
        needed[i] = s->mode == SCRIPT_ORDER || step->attempt;
        if (own && s->steps[own - 1].position == step->position)
            needed[i] = needed[own - 1] = true;
        if (before && before != own)
            needed[before - 1] = true;
        last[step->thread] = before = i + 1;
    }
    if (before)
        needed[before - 1] = true;
    free(last);
    return needed;
}

enum status script_write(const struct schedule_script *s, const char *path, struct error *err)
{
    struct output *out;
    bool *needed;

    if (output_open(&out, path, err) != HEDDLE_OK)
        return err->status;
    needed = needed_steps(s);
    put_head(out, s);
    put_threads(out, s);
    for (size_t i = 0; i < s->steps_count; i++)
        if (needed[i])
            put_step(out, s, &s->steps[i]);
    free(needed);
    return output_close(out, err);
}
