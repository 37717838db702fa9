/* Reads scripts from text (docs/schedule-format.md). Every line is checked; errors name it. */
#include "base/memory.h"
#include "replay/script.h"
#include "trace/input.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 16, THREADS_MOST = 1 << 20 };

struct script_reader {
    struct schedule_script *script;
    const char *name;
    size_t line;
    char *rest;        /* what of the line is still to be read */
    uint64_t *reached; /* by thread: its last position */
    size_t reached_count, reached_capacity;
    struct error *err;
};

static enum status bad(struct script_reader *r, const char *what)
{
    return fail(r->err, HEDDLE_BAD_TRACE, "%.200s:%zu: %.300s", r->name, r->line, what);
}

/* The next part of the line, up to `separator` or its end; NULL when there is none. */
static char *part(struct script_reader *r, char separator)
{
    char *start = r->rest, *end;

    if (!start)
        return NULL;
    end = strchr(start, separator);
    if (end)
        *end = '\0';
    r->rest = end ? end + 1 : NULL;
    return start;
}

static bool number(const char *text, int base, uint64_t *value)
{
    char *end;

    if (!text || !strchr("0123456789abcdef", *text) || *text == '\0')
        return false;
    errno = 0;
    *value = strtoull(text, &end, base);
    return *end == '\0' && errno == 0;
}

static bool next_number(struct script_reader *r, uint64_t *value)
{
    return number(part(r, ' '), 10, value);
}

static void set_text(char **to, const char *text)
{
    free(*to);
    *to = memory_text(text, strlen(text));
}

static uint32_t add_text(struct script_reader *r, const char *text)
{
    return *text ? names_add(&r->script->texts, text, strlen(text)) : NAME_NONE;
}

static enum status read_mode(struct script_reader *r)
{
    const char *word = r->rest ? r->rest : "";

    if (r->script->steps_count > 0)
        return bad(r, "mode must come before the first step");
    if (strcmp(word, "exact") == 0)
        r->script->mode = SCRIPT_EXACT;
    else if (strcmp(word, "order") == 0)
        r->script->mode = SCRIPT_ORDER;
    else
        return bad(r, "mode must be exact or order");
    return HEDDLE_OK;
}

static enum status read_policy(struct script_reader *r)
{
    static const char *const words[] = {"random", "pct", "round-robin"};

    for (uint32_t i = 0; i < 3; i++)
        if (r->rest && strcmp(r->rest, words[i]) == 0) {
            r->script->policy = i;
            return HEDDLE_OK;
        }
    return bad(r, "policy must be random, pct or round-robin");
}

static enum status read_seed(struct script_reader *r)
{
    return next_number(r, &r->script->seed) && !r->rest ? HEDDLE_OK : bad(r, "seed needs a whole number");
}

static enum status read_passes(struct script_reader *r)
{
    uint64_t passes;

    if (!next_number(r, &passes) || r->rest || passes < 1 || passes > 2)
        return bad(r, "passes must be 1 or 2");
    r->script->two_pass = passes == 2;
    return HEDDLE_OK;
}

static enum status read_clocks(struct script_reader *r)
{
    return next_number(r, &r->script->clocks[0]) && next_number(r, &r->script->clocks[1]) && !r->rest
               ? HEDDLE_OK
               : bad(r, "clocks needs two numbers, in nanoseconds");
}

static enum status read_expect(struct script_reader *r)
{
    struct expectation *e = &r->script->expected;
    uint64_t status;

    if (!next_number(r, &status) || status > UINT16_MAX || !number(part(r, ' '), 16, &e->sums[0]) ||
        !number(part(r, ' '), 16, &e->sums[1]) || r->rest)
        return bad(r, "expect needs an ending and the checksums of standard output and standard error");
    e->status = (uint32_t)status;
    e->known = true;
    return HEDDLE_OK;
}

static enum status read_title(struct script_reader *r)
{
    set_text(&r->script->title, r->rest ? r->rest : "");
    return HEDDLE_OK;
}

static enum status read_program(struct script_reader *r)
{
    set_text(&r->script->program, r->rest ? r->rest : "");
    return HEDDLE_OK;
}

static enum status read_java(struct script_reader *r)
{
    set_text(&r->script->java, r->rest ? r->rest : "");
    return HEDDLE_OK;
}

static enum status read_effects(struct script_reader *r)
{
    if (r->rest)
        return bad(r, "effects takes no value");
    r->script->effects = true;
    return HEDDLE_OK;
}

static enum status read_module(struct script_reader *r)
{
    const char *build = part(r, ' ');

    if (!build || !*build || !r->rest || !*r->rest)
        return bad(r, "module needs a build-id and a file");
    ARRAY_PUSH(r->script, modules,
               (struct journal_module){.path = memory_text(r->rest, strlen(r->rest)),
                                       .build = memory_text(build, strlen(build))});
    return HEDDLE_OK;
}

/* thread NUMBER MAKER.ORDINAL NAME; the first one's maker is "-". */
static enum status read_thread(struct script_reader *r)
{
    struct schedule_script *s = r->script;
    struct script_name t = {0};
    uint64_t id, maker = 0, ordinal = 1;
    char *from, *dot;

    if (!next_number(r, &id) || id != s->threads_count || id >= THREADS_MOST)
        return bad(r, "threads must be numbered 0, 1, 2 and so on");
    from = part(r, ' ');
    dot = from ? strchr(from, '.') : NULL;
    if (dot)
        *dot = '\0';
    if (!from || !dot || !number(dot + 1, 10, &ordinal) || ordinal == 0 || ordinal > UINT32_MAX ||
        (strcmp(from, "-") != 0 && (!number(from, 10, &maker) || maker >= id)))
        return bad(r, "a thread needs its creator, a lower number or -, and its ordinal among the creator's "
                      "threads: 0.1");
    if (!r->rest || !*r->rest)
        return bad(r, "a thread needs a name");
    t.parent = strcmp(from, "-") == 0 ? 0 : (uint32_t)maker + 1;
    t.ordinal = (uint32_t)ordinal;
    t.name = add_text(r, r->rest);
    ARRAY_PUSH(s, threads, t);
    ARRAY_PUSH(r, reached, 0);
    return HEDDLE_OK;
}

static enum status read_input(struct script_reader *r)
{
    uint64_t thread, kind, value;

    if (!next_number(r, &thread) || thread >= r->script->threads_count || !next_number(r, &kind) ||
        kind >= JOURNAL_INPUT_KINDS || !next_number(r, &value) || r->rest)
        return bad(r, "input needs a thread, a kind and a value");
    ARRAY_PUSH(r->script, inputs, (struct journal_input){(uint32_t)thread, (uint32_t)kind, value});
    return HEDDLE_OK;
}

static bool find_thread(const struct schedule_script *s, const char *name, uint32_t *thread)
{
    uint32_t id = names_find(&s->texts, name, strlen(name));

    for (size_t i = 0; id != NAME_NONE && i < s->threads_count; i++)
        if (s->threads[i].name == id) {
            *thread = (uint32_t)i;
            return true;
        }
    return false;
}

/* "rmw.ar(x)" */
static bool read_op(struct script_reader *r, char *text, struct schedule_step *step)
{
    char *open = strchr(text, '('), *close = open ? strrchr(open, ')') : NULL;
    char word[32];

    if (open && (!close || close[1] != '\0'))
        return false;
    if (open)
        *open = *close = '\0';
    step->arg = open ? add_text(r, open + 1) : NAME_NONE;
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        for (int order = 0; order < ORDERS; order++) {
            snprintf(word, sizeof word, "%s%s", kind_word((enum event_kind)kind),
                     order_suffix((enum memory_ordering)order));
            if (strcmp(word, text) == 0 &&
                (order_allowed((enum event_kind)kind, (enum memory_ordering)order) || order == ORDER_NONE)) {
                step->op = op_make((enum event_kind)kind, (enum memory_ordering)order);
                return true;
            }
        }
    return false;
}

/* @POSITION|THREAD|OP|LOCATION, or #POSITION where only the order counts. */
static enum status read_step(struct script_reader *r)
{
    struct schedule_script *s = r->script;
    struct schedule_step step = {.arg = NAME_NONE, .location = NAME_NONE};
    char *position = part(r, '|'), *thread = part(r, '|'), *op = part(r, '|'), *place = part(r, '|');
    size_t length = strlen(position);

    if (*position != (s->mode == SCRIPT_EXACT ? '@' : '#'))
        return bad(r, "positions are @ticks in an exact script and #ordinals in an ordering one");
    if (s->mode == SCRIPT_EXACT && position[length - 1] == '?') {
        step.attempt = true;
        position[length - 1] = '\0';
    }
    if (strcmp(position, "@end") == 0)
        step.position = STEP_UNKNOWN;
    else if (!number(position + 1, 10, &step.position) || step.position == STEP_UNKNOWN)
        return bad(r, "a position is a whole number");
    if (!thread || !find_thread(s, thread, &step.thread))
        return bad(r, "no thread of that name was declared");
    step.any_op = s->mode == SCRIPT_EXACT && op && strcmp(op, "go") == 0;
    if (step.position == STEP_UNKNOWN && (!step.any_op || step.attempt))
        return bad(r, "only a thread can run to its end: @end goes with go");
    if (!step.any_op && (!op || !read_op(r, op, &step)))
        return bad(r, "unknown kind of event");
    if (r->rest)
        return bad(r, "a step has four fields");
    if (s->mode == SCRIPT_EXACT && step.position < r->reached[step.thread])
        return bad(r, "the positions of a thread must ascend");
    assert(step.thread < r->reached_count && r->reached_count == s->threads_count);
    r->reached[step.thread] = step.position;
    if (place)
        step.location = add_text(r, place);
    ARRAY_PUSH(s, steps, step);
    return HEDDLE_OK;
}

static enum status read_line(struct script_reader *r)
{
    static const struct {
        const char *word;
        enum status (*read)(struct script_reader *);
    } words[] = {
        {"mode", read_mode},       {"seed", read_seed},     {"policy", read_policy}, {"passes", read_passes},
        {"clocks", read_clocks},   {"expect", read_expect}, {"title", read_title},   {"program", read_program},
        {"module", read_module},   {"thread", read_thread}, {"input", read_input},   {"java", read_java},
        {"effects", read_effects},
    };
    const char *word;

    if (*r->rest == '\0' || strncmp(r->rest, "# ", 2) == 0 || strcmp(r->rest, "#") == 0)
        return HEDDLE_OK;
    if (*r->rest == '@' || *r->rest == '#')
        return read_step(r);
    word = part(r, ' ');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].read(r);
    return bad(r, "unknown first word");
}

/* Names that differ in nothing but such characters would be the same when they are written. */
static bool has_control(const char *line)
{
    for (; *line; line++)
        if ((unsigned char)*line < ' ')
            return true;
    return false;
}

static enum status read_all(struct script_reader *r, const char *text, size_t length)
{
    char line[LINE_MOST];
    enum status status = HEDDLE_OK;

    for (size_t at = 0; at < length && status == HEDDLE_OK;) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t count = end ? (size_t)(end - text) - at : length - at;
        r->line++;
        if (count >= sizeof line || memchr(text + at, '\0', count))
            return bad(r, "the line is too long or holds a zero byte");
        memcpy(line, text + at, count);
        line[count] = '\0';
        if (count > 0 && line[count - 1] == '\r')
            line[count - 1] = '\0';
        if (has_control(line))
            return bad(r, "the line holds a control character");
        at += count + 1;
        r->rest = line;
        if (r->line > 1)
            status = read_line(r);
        else if (strcmp(line, "heddle-schedule 1") != 0)
            return bad(r, strncmp(line, "heddle-schedule ", 16) == 0
                              ? "unsupported version of the schedule format; this heddle reads version 1"
                              : "not a schedule: the first line is not heddle-schedule 1");
    }
    return status == HEDDLE_OK && r->line == 0 ? bad(r, "the file is empty") : status;
}

enum status script_parse(struct schedule_script *s, const char *name, const char *text, size_t length,
                         struct error *err)
{
    struct script_reader r = {.script = s, .name = name, .err = err};
    enum status status;

    script_init(s);
    status = read_all(&r, text, length);
    if (status == HEDDLE_OK && s->threads_count == 0)
        status = fail(err, HEDDLE_BAD_TRACE, "%.200s: no thread is declared", name);
    free(r.reached);
    if (status != HEDDLE_OK)
        script_free(s);
    return status;
}

enum status script_load(struct schedule_script *s, const char *path, struct error *err)
{
    char *text = NULL;
    size_t length = 0, capacity = 0, got;
    struct input *in;
    enum status status;

    memset(s, 0, sizeof *s);
    if (input_open(&in, path, err) != HEDDLE_OK)
        return err->status;
    do {
        if (length + LINE_MOST > capacity)
            text = memory_grow(text, &capacity, length + LINE_MOST, 1);
        status = input_fill(in, text + length, LINE_MOST, &got, err);
        length += got;
    } while (status == HEDDLE_OK && got > 0);
    input_close(in);
    if (status == HEDDLE_OK)
        status = script_parse(s, path, text, length, err);
    free(text);
    return status;
}
