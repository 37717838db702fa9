/* Fuzzes the reader of schedules: what it accepts can be written, read back the same, and compiled. */
#include "replay/script.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* What the runtime gets of a script; to be freed. */
static char *compiled(const struct schedule_script *script, size_t *size)
{
    int fd = script_compile(script);
    off_t end = lseek(fd, 0, SEEK_END);
    char *bytes;

    assert(fd >= 0 && end >= 0);
    *size = (size_t)end;
    bytes = malloc(*size + 1);
    assert(bytes && pread(fd, bytes, *size, 0) == end);
    close(fd);
    return bytes;
}

static void same_for_runtime(const struct schedule_script *one, const struct schedule_script *other)
{
    size_t sizes[2];
    char *bytes[2] = {compiled(one, &sizes[0]), compiled(other, &sizes[1])};

    assert(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
}

/* The script written out, and read back. */
static void write_and_read(const struct schedule_script *script)
{
    char path[] = "/tmp/fuzz-schedule-XXXXXX";
    struct schedule_script again;
    struct error err;
    int fd = mkstemp(path);

    assert(fd >= 0);
    close(fd);
    assert(script_write(script, path, &err) == HEDDLE_OK);
    assert(script_load(&again, path, &err) == HEDDLE_OK);
    assert(again.mode == script->mode && again.seed == script->seed && again.policy == script->policy);
    assert(again.threads_count == script->threads_count && again.steps_count <= script->steps_count);
    same_for_runtime(&again, script);
    script_free(&again);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct schedule_script script;
    struct error err = {.text = ""};

    if (script_parse(&script, "input", (const char *)bytes, length, &err) != HEDDLE_OK) {
        assert(err.text[0] && script.steps_count == 0);
        script_free(&script);
        return 0;
    }
    write_and_read(&script);
    script_free(&script);
    return 0;
}
