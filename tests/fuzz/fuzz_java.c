/* Fuzzes the readers of what a Java virtual machine leaves: a list of names and a log. Whatever is taken gives
 * a trace that loads, and deeds that an exploration can learn from. The first four bytes say how long the list
 * is. */
#include "base/memory.h"
#include "explore/learn.h"
#include "record/deeds/java_deeds.h"
#include "record/java/log_convert.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void convert(struct java_list *list, const uint8_t *log, size_t length)
{
    /* Records are read where they lie: as aligned as a mapped file. */
    uint8_t *copy = memory_new(length + 1, 1);
    struct java_conversion result;
    struct error err;
    struct trace trace;
    static char path[64];

    if (!*path) /* a file in memory */
        snprintf(path, sizeof path, "/proc/self/fd/%d", memfd_create("heddle-fuzz", MFD_CLOEXEC));
    memcpy(copy, log, length);
    struct journal journal = {0};
    uint64_t *ticks = NULL, last;
    uint32_t *bytecodes = NULL;
    char place[512];
    struct history history;
    struct deed_numbers numbers;
    struct deeds deeds;
    struct lesson lesson;
    struct java_reader reader;

    history_init(&history);
    deed_numbers_init(&numbers);
    history.java = true;
    java_reader_init(&reader, &numbers, &deeds);
    struct java_conversion_input in = {.name = "log",
                                       .log = copy,
                                       .log_bytes = length,
                                       .list = list,
                                       .path = path,
                                       .program = "fuzz",
                                       .journal = &journal,
                                       .ticks = &ticks,
                                       .bytecodes = &bytecodes,
                                       .last_tick = &last,
                                       .last_place = place,
                                       .observe = java_reader_take,
                                       .observer = &reader};

    if (java_convert(&in, &result, &err) == HEDDLE_OK) {
        enum status status = trace_load(&trace, path, &err);
        assert(status == HEDDLE_OK);
        assert(trace.count == result.events);
        trace_free(&trace);
        history_threads(&history, &numbers);
        learn(&history, &deeds, LESSON_EXIT, &lesson);
    }
    deeds_free(&deeds);
    history_free(&history);
    deed_numbers_free(&numbers);
    journal_free(&journal);
    free(ticks);
    free(bytecodes);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct java_list list;
    struct error err;
    uint32_t names;

    if (length < sizeof names)
        return 0;
    memcpy(&names, bytes, sizeof names);
    bytes += sizeof names;
    length -= sizeof names;
    if (names > length)
        return 0;
    if (java_list_read(&list, "list", bytes, names, &err) == HEDDLE_OK)
        convert(&list, bytes + names, length - names);
    java_list_free(&list);
    return 0;
}
