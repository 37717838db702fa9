/* Every function that the runtime stands in for is modelled by exploration, or declared not to be. */
#include "runtime/effects/effects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Hooks, and what compilers and marks of blocks call, are no functions of a library. */
static bool is_wrapper(const char *name)
{
    static const char *const others[] = {"__tsan_", "heddle_", "__heddle_", "Annotate"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

static void every_wrapper_is_in_the_table(void **state)
{
    FILE *list = popen("nm -D --defined-only " RUNTIME_LIBRARY, "r");
    char line[512], name[256], kind;
    int wrappers = 0, missing = 0;

    (void)state;
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        if (sscanf(line, "%*x %c %255s", &kind, name) != 2 || !strchr("TWi", kind) || !is_wrapper(name))
            continue;
        wrappers++;
        if (effect_of(name, "")->kind == EFFECT_UNKNOWN) {
            print_error("%s is neither modelled nor declared incomplete in runtime/effects/effect_table.c\n",
                        name);
            missing++;
        }
    }
    assert_int_equal(pclose(list), 0);
    assert_true(wrappers > 250);
    assert_int_equal(missing, 0);
}

static void unknown_functions_are_unknown(void **state)
{
    (void)state;
    assert_int_equal(effect_of("setlocale", "/lib/libc.so.6")->kind, EFFECT_UNKNOWN);
    assert_int_equal(effect_of("cos", "/lib/x86_64-linux-gnu/libm.so.6")->kind, EFFECT_NONE);
    assert_int_equal(effect_of("cos", "/opt/libmine.so")->kind, EFFECT_UNKNOWN);
}

static void names_for_large_files_mean_the_same(void **state)
{
    (void)state;
    assert_int_equal(effect_of("open64", "")->kind, EFFECT_CHANGES);
    assert_int_equal(effect_of("pread64", "")->part, PART_FILES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrapper_is_in_the_table),
        cmocka_unit_test(unknown_functions_are_unknown),
        cmocka_unit_test(names_for_large_files_mean_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
