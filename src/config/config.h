/* `.heddle.yaml`: what a project has decided once and for all (docs/configuration.md). Options of a command override it. */
#pragma once
#include "report/ci/suppress.h"

enum { CONFIG_BYTES_MOST = 1 << 20 };

struct config_names {
    char **names; /* followed by NULL, if there are any */
    size_t names_count, names_capacity;
};

struct config {
    char *path;                       /* of the file; NULL: there is none */
    char *fail_on;                    /* as --fail-on; or NULL */
    struct config_names source_roots; /* absolute */
    struct suppressions suppressions;
    struct suppressions files;                 /* what `ignore` and `include` stand for */
    struct config_names ignore, include;       /* patterns of files */
    struct config_names atomic, deterministic; /* functions, as patterns */
    char *java_include, *java_exclude;         /* as --include and --exclude; or NULL */
};

/* The file in the folder or in the nearest one above it; NULL: there is none. To be freed. One that belongs to another user than
 * this one and root does not count, and is what `*foreign` is set to then; to be freed, too. */
char *config_find(const char *folder, char **foreign);

/* On failure it is empty and the error names file and line. */
enum status config_load(struct config *c, const char *path, struct error *err);

/* The same for text in memory. Folders in it are relative to that of `path`. */
enum status config_parse(struct config *c, const char *path, const char *text, size_t length,
                         struct error *err);
void config_free(struct config *c);
