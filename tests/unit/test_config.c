/* `.heddle.yaml`: what it may say, and what is said of mistakes. */
#include "config/config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void refused(const char *text, const char *message)
{
    struct config c;
    struct error err = {.text = ""};

    assert_int_equal(config_parse(&c, "c", text, strlen(text), &err), HEDDLE_BAD_USAGE);
    assert_string_equal(err.text, message);
    assert_null(c.path);
}

static void mistakes_are_named_with_their_line(void **state)
{
    (void)state;
    refused("- a\n", "c:1: expected `key: value` lines");
    refused("\nfail_on: race\n",
            "c:2: unknown key fail_on: expected fail-on, source-roots, suppressions, ignore, "
            "include, atomic, deterministic or java");
    refused("ignore: a\nignore: b\n", "c:2: ignore appears twice");
    refused("fail-on: [race,\n  rice]\n", "c:1: fail-on: unknown name rice");
    refused("atomic: [[a]]\n", "c:1: atomic: expected a text");
    refused("atomic: ''\n", "c:1: atomic has no value");
    refused("atomic: \"a\\0b\"\n", "c:1: atomic has a NUL character");
    refused("java: {includes: a}\n", "c:1: unknown key includes: expected include or exclude");
    refused("suppressions:\n  property: race\n", "c:2: suppressions: expected a list");
    refused("suppressions:\n- property: race\n",
            "c:2: the reason is missing: why may this finding be ignored?");
    refused("suppressions:\n- property: race\n  reason: x\n- property: rice\n  reason: x\n",
            "c:4: unknown property rice");
    refused("suppressions: [{var: x, reason: y}]\n", "c:1: unknown condition var: expected fingerprint, "
                                                     "property, variable, lock, function, file, only-file or "
                                                     "no-file");
    refused("ignore: [a\n", "c:2: this is not YAML: did not find expected ',' or ']'");
    refused("ignore: a\n---\nignore: b\n", "c:3: a second document begins here; only one is read");
}

static void everything_is_read(void **state)
{
    static const char text[] = "fail-on: [race, deadlock]\nsource-roots: [src, /include]\n"
                               "suppressions:\n- {property: race, file: [a.c, b.c], reason: ' free '}\n"
                               "ignore: [third_party/*, /usr/*]\ninclude: src/*\natomic: transfer\n"
                               "deterministic: [sort, 'A::*']\njava: {include: [a.*, b.*], exclude: c.*}\n";
    struct config c;
    struct error err;

    (void)state;
    assert_int_equal(config_parse(&c, "/p/.heddle.yaml", text, strlen(text), &err), HEDDLE_OK);
    assert_string_equal(c.fail_on, "race,deadlock");
    assert_string_equal(c.source_roots.names[0], "/p/src");
    assert_string_equal(c.source_roots.names[1], "/include");
    assert_null(c.source_roots.names[2]);
    assert_int_equal(c.suppressions.entries_count, 1);
    assert_int_equal(c.suppressions.entries[0].conditions_count, 3);
    assert_int_equal(c.suppressions.entries[0].line, 4);
    assert_int_equal(c.files.entries_count, 2);
    assert_int_equal(c.files.entries[0].conditions_count, 3); /* the relative one also below any folder */
    assert_true(c.files.entries[0].general);
    assert_string_equal(c.atomic.names[0], "transfer");
    assert_int_equal(c.deterministic.names_count, 2);
    assert_string_equal(c.java_include, "a.*,b.*");
    assert_string_equal(c.java_exclude, "c.*");
    config_free(&c);
}

static void an_empty_file_says_nothing(void **state)
{
    struct config c;
    struct error err;

    (void)state;
    assert_int_equal(config_parse(&c, "c", "# nothing\n", 10, &err), HEDDLE_OK);
    assert_null(c.fail_on);
    assert_int_equal(c.suppressions.entries_count + c.files.entries_count, 0);
    config_free(&c);
}

static void touch(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);

    assert_true(fd >= 0);
    close(fd);
}

static void the_nearest_file_is_found(void **state)
{
    char top[] = "/tmp/heddle-config.XXXXXX", inner[100], file[120], upper[120];
    char *found, *foreign;

    (void)state;
    assert_non_null(mkdtemp(top));
    snprintf(inner, sizeof inner, "%s/a", top);
    snprintf(upper, sizeof upper, "%s/.heddle.yaml", top);
    snprintf(file, sizeof file, "%s/.heddle.yaml", inner);
    assert_int_equal(mkdir(inner, 0700), 0);
    touch(upper);
    found = config_find(inner, &foreign);
    assert_string_equal(found, upper);
    free(found);
    assert_int_equal(mkdir(file, 0700), 0); /* no file: passed over */
    found = config_find(inner, &foreign);
    assert_string_equal(found, upper);
    free(found);
    assert_int_equal(rmdir(file), 0);
    touch(file);
    found = config_find(inner, &foreign);
    assert_string_equal(found, file);
    assert_null(foreign);
    free(found);
    if (geteuid() == 0) { /* what another user put in the way does not count */
        assert_int_equal(chown(file, 12345, 12345), 0);
        found = config_find(inner, &foreign);
        assert_string_equal(found, upper);
        assert_string_equal(foreign, file);
        free(found);
        free(foreign);
    }
    unlink(file);
    unlink(upper);
    rmdir(inner);
    rmdir(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(everything_is_read),
        cmocka_unit_test(an_empty_file_says_nothing),
        cmocka_unit_test(the_nearest_file_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
