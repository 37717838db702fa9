/* Writes the list of what a pass need not record (runtime/protocol/java_light.h). */
#include "base/memory.h"
#include "record/java/log_light.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The list as it grows. */
struct light_text {
    char *bytes;
    size_t bytes_count, bytes_capacity;
};

static void put_words(struct light_text *to, const struct names *texts, const char *kind, const uint32_t *words,
                      size_t count)
{
    for (const char *c = kind; *c; c++)
        ARRAY_PUSH(to, bytes, *c);
    for (size_t i = 0; i < count; i++) {
        ARRAY_PUSH(to, bytes, ' ');
        for (const char *c = names_text(texts, words[i]); *c; c++)
            ARRAY_PUSH(to, bytes, *c);
    }
}

/* Ends a line with a word that is no text of ours. */
static void put_last(struct light_text *to, const char *word)
{
    ARRAY_PUSH(to, bytes, ' ');
    for (; *word; word++)
        ARRAY_PUSH(to, bytes, *word);
    ARRAY_PUSH(to, bytes, '\n');
}

static void put_number(struct light_text *to, const char *kind, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, number);
    put_words(to, NULL, kind, NULL, 0);
    put_last(to, text);
}

static void put_place(struct light_text *to, const struct names *texts, const char *kind,
                      const struct light_place *at)
{
    char place[16];

    snprintf(place, sizeof place, "%" PRIu32, at->place);
    put_words(to, texts, kind, (const uint32_t[]){at->class, at->method, at->descriptor}, 3);
    put_last(to, place);
}

static void put_list(struct light_text *to, const struct java_light *light)
{
    for (size_t i = 0; i < light->fields_count; i++) {
        const struct light_name *f = &light->fields[i];
        const char how[] = {(char)f->how, '\0'};
        if (f->how == LIGHT_NONE)
            continue;
        put_words(to, &light->texts, "field", (const uint32_t[]){f->owner, f->name, f->descriptor}, 3);
        put_last(to, how);
    }
    put_number(to, "arrays", light->arrays_count);
    for (size_t i = 0; i < light->arrays_count; i++)
        if (light->arrays[i] != LIGHT_WHOLE)
            put_number(to, light->arrays[i] == LIGHT_PARTS ? "parts" : "shared", i);
    for (size_t i = 0; i < light->sites_count; i++) {
        if (light->sites[i].how != LIGHT_WHOLE)
            put_place(to, &light->texts, light->sites[i].how == LIGHT_PARTS ? "divided" : "site",
                      &light->sites[i]);
        if (light->sites[i].plain)
            put_place(to, &light->texts, "plain", &light->sites[i]);
        if (light->sites[i].pieces)
            put_place(to, &light->texts, "pieces", &light->sites[i]);
    }
    if (light->apart)
        put_words(to, NULL, "apart\n", NULL, 0);
}

enum status java_light_write(const struct java_light *light, const char *path, struct error *err)
{
    struct light_text text = {0};
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t done = 0;
    ssize_t put = 0;

    put_list(&text, light);
    while (fd >= 0 && done < text.bytes_count &&
           (put = write(fd, text.bytes + done, text.bytes_count - done)) > 0)
        done += (size_t)put;
    free(text.bytes);
    if (fd < 0 || close(fd) != 0 || done < text.bytes_count)
        return fail(err, HEDDLE_IO, "cannot write %s: %s", path, strerror(errno));
    return HEDDLE_OK;
}
