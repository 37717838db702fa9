/* Limits of a run that is watched: the memory for what it prints, and its time. */
#include "base/memory.h"
#include "record/patience.h"
#include "record/printed.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PIECE = 300000, PIECES = 40 };

/* Prints the pieces, one byte of which is `mark`, and steps after every `often` of them, 0: never. */
static char *print(unsigned pieces, char mark, unsigned often, size_t *length)
{
    struct printed outputs[2] = {0};
    char *piece = memory_new(PIECE, 1);
    struct error err;

    for (int i = 0; i < 2; i++)
        assert_int_equal(printed_open(&outputs[i], "test", &err), HEDDLE_OK);
    for (unsigned i = 0; i < pieces; i++) {
        memset(piece, 'a' + (int)(i % 26), PIECE);
        piece[7] = '.';
        if (i == pieces / 2)
            piece[7] = mark;
        assert_int_equal(write(outputs[0].fd, piece, PIECE), PIECE);
        if (often && i % often == 0)
            printed_step(outputs);
    }
    if (often) {
        struct stat about;
        assert_int_equal(fstat(outputs[0].fd, &about), 0);
        assert_true(about.st_blocks * 512 < PRINTED_HEAD + PRINTED_TAIL + (2 << 20) + (int64_t)often * PIECE);
    }
    free(printed_close(&outputs[1], length));
    assert_int_equal(*length, 0);
    free(piece);
    return printed_close(&outputs[0], length);
}

static void short_output_is_kept_as_it_is(void **state)
{
    size_t length;
    char *text = print(3, '!', 1, &length);

    (void)state;
    assert_int_equal(length, 3 * PIECE);
    assert_int_equal(text[PIECE + 7], '!');
    free(text);
}

static void long_output_is_shortened_however_it_was_taken(void **state)
{
    size_t length, other_length;
    char *text = print(PIECES, '!', 0, &length), *other;

    (void)state;
    assert_true(length < PRINTED_HEAD + PRINTED_TAIL + 128);
    assert_non_null(strstr(text, "\n[7740160 bytes of output left out, checksum "));
    assert_int_equal(text[length - 1], 'a' + (PIECES - 1) % 26);
    for (unsigned often = 1; often < 9; often += 3) {
        other = print(PIECES, '!', often, &other_length);
        assert_int_equal(length, other_length);
        assert_memory_equal(text, other, length);
        free(other);
    }
    other = print(PIECES, '?', 1, &other_length); /* differs in a byte that is left out */
    assert_int_equal(length, other_length);
    assert_string_not_equal(text, other);
    free(other);
    free(text);
}

static void time_without_a_processor_counts_only_if_wanted(void **state)
{
    struct patience p;

    (void)state;
    patience_begin(&p, 1, 10, 1000); /* we are runnable and, by a clock that leaps, hardly ran */
    assert_false(patience_over(&p, getpid(), 5000));
    assert_false(patience_over(&p, getpid(), 10999));
    assert_true(patience_over(&p, getpid(), 11001));
    assert_true(patience_starved(&p, 11001));
    patience_begin(&p, 1, 0, 1000);
    assert_false(patience_over(&p, getpid(), 2000));
    assert_true(patience_over(&p, getpid(), 2001));
    patience_begin(&p, 0, 0, 1000);
    assert_false(patience_over(&p, getpid(), 1000000));
}

/* Its state is S or T, never R, once it has begun to wait. */
static void a_program_that_sleeps_is_not_short_of_a_processor(void **state)
{
    pid_t child = fork();
    struct patience p;
    int status;

    (void)state;
    if (child == 0) {
        raise(SIGSTOP);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    patience_begin(&p, 1, 10, 1000);
    assert_true(patience_over(&p, child, 2001));
    assert_false(patience_starved(&p, 2001));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_output_is_kept_as_it_is),
        cmocka_unit_test(long_output_is_shortened_however_it_was_taken),
        cmocka_unit_test(time_without_a_processor_counts_only_if_wanted),
        cmocka_unit_test(a_program_that_sleeps_is_not_short_of_a_processor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
