/* Fuzzes the reader of schedules: what it accepts can be written, read back the same, and compiled. */
#include "replay/script.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

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
    assert(script_compiled_before(&again, again.steps_count) ==
           script_compiled_before(script, script->steps_count));
    script_free(&again);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct schedule_script script;
    struct error err = {.text = ""};
    int fd;

    if (script_parse(&script, "input", (const char *)bytes, length, &err) != HEDDLE_OK) {
        assert(err.text[0] && script.steps_count == 0);
        script_free(&script);
        return 0;
    }
    fd = script_compile(&script);
    assert(fd >= 0);
    close(fd);
    write_and_read(&script);
    script_free(&script);
    return 0;
}
