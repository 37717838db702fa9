/* Fuzzes the reader of `.heddle.yaml`. */
#include "config/config.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_entries(const struct suppressions *s)
{
    for (size_t i = 0; i < s->entries_count; i++)
        assert(s->entries[i].line > 0 && s->entries[i].conditions_count > 0 && *s->entries[i].reason);
}

static void check_names(const struct config_names *n)
{
    for (size_t i = 0; i < n->names_count; i++)
        assert(*n->names[i]);
    assert(n->names_count == 0 || !n->names[n->names_count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct config c;
    struct error err = {.text = ""};

    if (config_parse(&c, "/project/input", (const char *)bytes, length, &err) != HEDDLE_OK) {
        assert(strncmp(err.text, "/project/input:", 15) == 0 && !c.path);
        return 0;
    }
    check_entries(&c.suppressions);
    check_entries(&c.files);
    check_names(&c.source_roots);
    check_names(&c.ignore);
    check_names(&c.include);
    check_names(&c.atomic);
    check_names(&c.deterministic);
    config_free(&c);
    return 0;
}
