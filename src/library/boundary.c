/* Where the library begins. */
#include "library/boundary.h"

#include <stdio.h>
#include <string.h>

static enum heddle_error_status outside(enum status status)
{
    switch (status) {
    case HEDDLE_OK:
        return HEDDLE_ERROR_NONE;
    case HEDDLE_BAD_USAGE:
        return HEDDLE_ERROR_USAGE;
    case HEDDLE_BAD_TRACE:
        return HEDDLE_ERROR_TRACE;
    case HEDDLE_UNSUPPORTED:
        return HEDDLE_ERROR_UNSUPPORTED;
    case HEDDLE_REJECTED:
        return HEDDLE_ERROR_REJECTED;
    case HEDDLE_BAD_REPORT:
        return HEDDLE_ERROR_REPORT;
    default:
        return HEDDLE_ERROR_IO;
    }
}

const char *heddle_version(void)
{
    return HEDDLE_VERSION;
}

void boundary_fail(struct heddle_error *to, enum heddle_error_status status, const char *text)
{
    if (!to)
        return;
    to->status = status;
    snprintf(to->text, sizeof to->text, "%s", text);
}

bool boundary_run(enum status (*step)(void *context, struct error *err), void *context, struct heddle_error *to)
{
    struct memory_guard guard;
    struct error err = {.text = ""};
    enum status status;

    if (!MEMORY_GUARD(&guard)) {
        boundary_fail(to, HEDDLE_ERROR_MEMORY, "out of memory");
        return false;
    }
    status = step(context, &err);
    memory_guard_leave(&guard);
    boundary_fail(to, outside(status), status == HEDDLE_OK ? "" : err.text);
    return status == HEDDLE_OK;
}

bool boundary_options(void *to, size_t size, const void *from, const char *init, struct heddle_error *err)
{
    size_t known = size;
    char text[128];

    if (from)
        memcpy(&known, from, sizeof known);
    if (known < sizeof known || known > size) {
        snprintf(text, sizeof text, "the options were not initialised by %s", init);
        boundary_fail(err, HEDDLE_ERROR_USAGE, text);
        return false;
    }
    if (from)
        memcpy(to, from, known);
    return true;
}
