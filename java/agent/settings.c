/* Parses the agent's settings. */
#include "settings.h"
#include "base/memory.h"

#include <stdlib.h>

static bool read_word(struct settings *s, char *word)
{
    char *value = strchr(word, '=');

    if (strcmp(word, "junit") == 0)
        return s->turns = true;
    if (!value)
        return false;
    *value++ = '\0';
    if (strcmp(word, "folder") == 0)
        s->folder = value;
    else if (strcmp(word, "records") == 0)
        s->records = strtoull(value, NULL, 10);
    else if (strcmp(word, "script") == 0)
        s->script = value;
    else if (strcmp(word, "grounds") == 0)
        s->grounds = strcmp(value, "on") == 0;
    else if (strcmp(word, "passes") == 0)
        s->passes = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(word, "machine") == 0)
        s->machine = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(word, "seed") == 0)
        s->seed = strtoull(value, NULL, 10);
    else if (strcmp(word, "drawn") == 0)
        s->drawn = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(word, "delays") == 0)
        s->delays = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(word, "explore") == 0)
        s->explores = true;
    else if (strcmp(word, "include") == 0 || strcmp(word, "exclude") == 0)
        ARRAY_PUSH(s, patterns, (struct pattern){value, word[0] == 'i'});
    else if (strcmp(word, "atomic") == 0)
        ARRAY_PUSH(s, atomic, value);
    else if (strcmp(word, "deterministic") == 0)
        ARRAY_PUSH(s, deterministic, value);
    else
        return false;
    return true;
}

bool settings_read(struct settings *s, const char *options)
{
    char *rest;

    *s = (struct settings){.text = memory_text(options, strlen(options))};
    for (char *word = strtok_r(s->text, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        if (!read_word(s, word)) {
            s->text = word;
            return false;
        }
    ARRAY_PUSH(s, atomic, NULL);
    ARRAY_PUSH(s, deterministic, NULL);
    return s->turns || (s->folder && s->records > 0);
}
