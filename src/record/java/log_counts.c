/* Counting what the log of a Java virtual machine holds. */
#include "record/java/log_counts.h"
#include "record/java/log_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum java_counted counted(const struct java_converter *c, const struct java_record *r)
{
    bool element = java_object_type(c, r->object)[0] == '[';

    switch (java_kind_of(r)) {
    case JAVA_READ:
        return element ? ELEMENT_READS : FIELD_READS;
    case JAVA_WRITE:
        return element ? ELEMENT_WRITES : FIELD_WRITES;
    case JAVA_STATIC_READ:
        return STATIC_READS;
    case JAVA_STATIC_WRITE:
        return STATIC_WRITES;
    case JAVA_ACQUIRED:
        return MONITOR_ACQUIRES;
    case JAVA_RELEASING:
        return MONITOR_RELEASES;
    default:
        return JAVA_COUNTED;
    }
}

void java_count(const struct java_converter *c, struct java_counts *counts)
{
    *counts = (struct java_counts){0};
    for (uint64_t i = 0; i < c->count; i++) {
        enum java_counted what = counted(c, &c->records[i]);
        if (what != JAVA_COUNTED && java_thread_of(&c->records[i]) != NO_THREAD)
            counts->of[what]++;
    }
}

enum status java_counts_append(const char *path, const struct java_counts *counts, uint64_t mismatches,
                               struct error *err)
{
    static const char *const names[] = {
        [FIELD_READS] = "field reads",           [FIELD_WRITES] = "field writes",
        [STATIC_READS] = "static reads",         [STATIC_WRITES] = "static writes",
        [ELEMENT_READS] = "element reads",       [ELEMENT_WRITES] = "element writes",
        [MONITOR_ACQUIRES] = "monitor acquires", [MONITOR_RELEASES] = "monitor releases"};
    char text[1024];
    int length = 0;

    for (int i = 0; i < JAVA_COUNTED; i++)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%s %" PRIu64 "\n", names[i], counts->of[i]);
    length += snprintf(text + length, sizeof text - (size_t)length, "reads of another value %" PRIu64 "\n",
                       mismatches);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    bool good = file >= 0 && write(file, text, (size_t)length) == length;

    if (file >= 0 && close(file) != 0)
        good = false;
    return good ? HEDDLE_OK
                : fail(err, HEDDLE_IO, "cannot write %s (HEDDLE_JAVA_COUNTS): %s", path, strerror(errno));
}
