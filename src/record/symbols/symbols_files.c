/* The files of a recorded program: opened for one run, kept for the next. */
#include "base/memory.h"
#include "record/symbols/symbols_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct symbols *spare; /* of a run before */

static char *debug_path; /* none: look beside the file and in the usual places */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .debuginfo_path = &debug_path,
};

static void open_files(struct symbols *s)
{
    s->dwfl = dwfl_begin(&callbacks);
    s->globals = globals_new();
    s->scopes = scopes_new();
    s->sites = sites_new();
    known_init(&s->known);
    s->reporting = false;
}

void symbols_forget_around(struct symbols *s)
{
    free(s->around.outer);
    s->around = (struct around){0};
}

static void close_files(struct symbols *s)
{
    symbols_forget_around(s);
    globals_free(s->globals);
    scopes_free(s->scopes);
    outlined_free(&s->outlined);
    sites_free(s->sites);
    known_free(&s->known);
    if (s->dwfl)
        dwfl_end(s->dwfl);
}

struct symbols *symbols_new(void)
{
    struct symbols *s = spare;

    spare = NULL;
    if (!s) {
        s = memory_new(1, sizeof *s);
        open_files(s);
    }
    for (size_t i = 0; i < s->modules_count; i++)
        s->modules[i].here = false;
    return s;
}

void symbols_free(struct symbols *s)
{
    if (!spare) {
        spare = s;
        return;
    }
    close_files(s);
    for (size_t i = 0; i < s->modules_count; i++)
        free(s->modules[i].path);
    free(s->modules);
    free(s);
}

static void report(struct symbols *s, const struct loaded *module)
{
    const char *slash = strrchr(module->path, '/');

    if (!s->dwfl)
        return;
    if (!s->reporting)
        dwfl_report_begin_add(s->dwfl);
    s->reporting = true;
    dwfl_report_elf(s->dwfl, slash ? slash + 1 : module->path, module->path, -1, module->base, true);
}

/* Forgets all but the modules that this run has shown so far. */
static void renew(struct symbols *s)
{
    size_t count = 0;

    close_files(s);
    open_files(s);
    for (size_t i = 0; i < s->modules_count; i++) {
        if (s->modules[i].here) {
            s->modules[count++] = s->modules[i];
            report(s, &s->modules[i]);
        } else {
            free(s->modules[i].path);
        }
    }
    s->modules_count = count;
}

void symbols_module(struct symbols *s, const char *path, uint64_t base)
{
    bool others = false;
    struct stat about = {0};

    if (*path == '\0' || stat(path, &about) != 0)
        return;
    for (size_t i = 0; i < s->modules_count; i++) {
        struct loaded *m = &s->modules[i];
        if (m->base == base && strcmp(m->path, path) == 0 && m->file == about.st_ino &&
            m->changed.tv_sec == about.st_ctim.tv_sec && m->changed.tv_nsec == about.st_ctim.tv_nsec) {
            m->here = true;
            return;
        }
        others |= !m->here;
    }
    if (others) /* not the program of the run before, or it is not as it was */
        renew(s);
    symbols_forget_around(s);
    struct loaded new = {.path = memory_text(path, strlen(path)),
                         .base = base,
                         .file = about.st_ino,
                         .changed = about.st_ctim,
                         .here = true};
    ARRAY_PUSH(s, modules, new);
    report(s, &new);
}

void symbols_settle(struct symbols *s)
{
    if (s->reporting)
        dwfl_report_end(s->dwfl, NULL, NULL);
    s->reporting = false;
}
