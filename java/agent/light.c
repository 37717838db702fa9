/* Reads the list of the first pass, and looks things up in it. */
#include "light.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines by the hash of their words: open addressing, at most half full. */
struct light {
    struct light_line {
        char *text; /* the words of the key, separated by spaces; NULL: free */
        enum light_field field;
    } * table;
    size_t room, count;
    uint8_t *treatment; /* of arrays, by ordinal */
    uint32_t arrays;
    bool apart;
};

enum { KEY_MOST = 4096 };

static size_t light_place(const struct light *light, const char *key)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    size_t at;

    for (const char *c = key; *c; c++)
        hash = (hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
    for (at = (hash ^ hash >> 29) & (light->room - 1); light->table[at].text; at = (at + 1) & (light->room - 1))
        if (strcmp(light->table[at].text, key) == 0)
            break;
    return at;
}

static void light_add(struct light *light, const char *key, enum light_field field)
{
    if (light->count * 2 >= light->room) {
        struct light old = *light;
        light->room = old.room ? old.room * 2 : 256;
        light->table = memory_new(light->room, sizeof *light->table);
        for (size_t i = 0; i < old.room; i++)
            if (old.table[i].text)
                light->table[light_place(light, old.table[i].text)] = old.table[i];
        free(old.table);
    }
    size_t at = light_place(light, key);
    if (!light->table[at].text) {
        light->table[at] = (struct light_line){memory_text(key, strlen(key)), field};
        light->count++;
    }
}

static void read_line(struct light *light, char *line)
{
    size_t length = strcspn(line, "\n");
    unsigned long number = strtoul(line + strcspn(line, " "), NULL, 10);

    line[length] = '\0';
    if (strncmp(line, "field ", 6) == 0 && length > 8) {
        line[length - 2] = '\0';
        light_add(light, line, (enum light_field)line[length - 1]);
    } else if (strcmp(line, "apart") == 0) {
        light->apart = true;
    } else if (strncmp(line, "site ", 5) == 0 || strncmp(line, "plain ", 6) == 0 ||
               strncmp(line, "pieces ", 7) == 0 || strncmp(line, "divided ", 8) == 0) {
        light_add(light, line, LIGHT_NONE);
    } else if (strncmp(line, "arrays ", 7) == 0) {
        light->arrays = (uint32_t)number;
        light->treatment = memory_new(number + 1, 1);
    } else if (strncmp(line, "parts ", 6) == 0 && number < light->arrays) {
        light->treatment[number] = LIGHT_PARTS;
    } else if (strncmp(line, "shared ", 7) == 0 && number < light->arrays) {
        light->treatment[number] = LIGHT_RECORDED;
    }
}

struct light *light_read(const char *path)
{
    FILE *file = fopen(path, "re");
    struct light *light;
    char *line = NULL;
    size_t room = 0;

    if (!file)
        return NULL;
    light = memory_new(1, sizeof *light);
    light_add(light, "", LIGHT_NONE);
    while (getline(&line, &room, file) >= 0)
        read_line(light, line);
    free(line);
    fclose(file);
    return light;
}

static bool append(char *key, size_t *at, struct span word)
{
    if (*at + word.count + 2 > KEY_MOST)
        return false;
    key[(*at)++] = ' ';
    memcpy(key + *at, word.data, word.count);
    *at += word.count;
    key[*at] = '\0';
    return true;
}

static const struct light_line *find(const struct light *light, const char *kind, const struct span *words,
                                     size_t count)
{
    char key[KEY_MOST];
    size_t at = strlen(kind);
    const struct light_line *line;

    memcpy(key, kind, at);
    for (size_t i = 0; i < count; i++)
        if (!append(key, &at, words[i]))
            return NULL;
    line = &light->table[light_place(light, key)];
    return line->text ? line : NULL;
}

enum light_field light_field(const struct light *light, const struct member *field)
{
    const struct span words[] = {field->owner, field->name, field->descriptor};
    const struct light_line *line = light ? find(light, "field", words, 3) : NULL;

    return line ? line->field : LIGHT_NONE;
}

static bool has_place(const struct light *light, const char *kind, struct span class, struct span method,
                      struct span descriptor, unsigned place)
{
    char number[16];
    int length = snprintf(number, sizeof number, "%u", place);
    const struct span words[] = {class, method, descriptor, {(const uint8_t *)number, (size_t)length}};

    return light && find(light, kind, words, 4);
}

enum light_array light_site(const struct light *light, struct span class, struct span method,
                            struct span descriptor, unsigned place)
{
    if (has_place(light, "site", class, method, descriptor, place))
        return LIGHT_RECORDED;
    return has_place(light, "divided", class, method, descriptor, place) ? LIGHT_PARTS : LIGHT_WHOLE;
}

bool light_plain(const struct light *light, struct span class, struct span method, struct span descriptor,
                 unsigned place)
{
    return has_place(light, "plain", class, method, descriptor, place);
}

bool light_pieces(const struct light *light, struct span class, struct span method, struct span descriptor,
                  unsigned place)
{
    return has_place(light, "pieces", class, method, descriptor, place);
}

bool light_meetings(const struct light *light)
{
    return !light || !light->apart;
}

enum light_array light_array(const struct light *light, uint32_t ordinal)
{
    return !light || ordinal >= light->arrays ? LIGHT_RECORDED : (enum light_array)light->treatment[ordinal];
}
