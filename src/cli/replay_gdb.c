/* heddle replay --gdb: the program in a debugger, its threads where the schedule put them. */
#include "base/buffer.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/replay.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Selects the first frame that is the program's own: hooks may be linked into it. */
static const char leave_runtime[] = "python exec(\"f=gdb.newest_frame()\\nwhile f.older() and ((f.name() or "
                                    "'').startswith(('__tsan_','heddle_')) or any(n in (gdb.solib_name(f.pc()) "
                                    "or '') for n in ('libheddle-rt','libtsan'))): f=f.older()\\nf.select()\")";

/* "run", or with what it takes to give the program another input than gdb's: arguments for a shell. */
static char *run_command(const struct replaying *r)
{
    struct buffer text = {0};
    char *result, path[64];

    buffer_text(&text, "run");
    if (r->kept_input > 0) {
        for (char *const *word = r->settings.program + 1; *word; word++) {
            buffer_text(&text, " ");
            buffer_shell(&text, *word);
        }
        snprintf(path, sizeof path, " </proc/%ld/fd/%d", (long)getpid(), r->kept_input);
        buffer_text(&text, path);
    }
    result = memory_text(text.text, text.text_count);
    buffer_free(&text);
    return result;
}

/* The program as gdb starts it: it stops in the runtime, and the first frame that is not the runtime's is
 * shown. */
int replay_in_gdb(struct replaying *r, const struct schedule_script *script)
{
    char *start = run_command(r);
    const char *const head[] = {
        "gdb",   "-q",
        "-ex",   r->kept_input > 0 ? "set startup-with-shell on" : "set startup-with-shell off",
        "-ex",   "set breakpoint pending on",
        "-ex",   "handle SIG62 nostop noprint pass",
        "-ex",   "break heddle_replay_stop",
        "-ex",   start,
        "-ex",   leave_runtime,
        "-ex",   "frame",
        "--args"};
    size_t given = 0, fixed = sizeof head / sizeof *head;
    struct replay_result now;
    struct error err;
    char **words;
    int result = EXIT_SUCCESS;

    while (r->settings.program[given])
        given++;
    words = memory_new(fixed + given + 1, sizeof *words);
    for (size_t i = 0; i < fixed; i++)
        words[i] = (char *)head[i]; // NOLINT(clang-diagnostic-cast-qual)
    memcpy(words + fixed, r->settings.program, given * sizeof *words);
    r->settings.program = words;
    r->settings.show = r->settings.one_pass = true;
    r->settings.timeout = 0;
    r->settings.input_fd = 0;
    if (replay_run(&r->settings, script, &now, &err) != HEDDLE_OK)
        result = complain("%s", err.text);
    else
        replay_result_free(&now);
    free(words);
    free(start);
    return result;
}
