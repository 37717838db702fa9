/* The progress line, on a terminal of our own. */
#include "cli/progress.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct terminal {
    int master, saved;
};

/* Standard error becomes a pseudo-terminal, or nothing happens where there are none. */
static int open_terminal(struct terminal *t)
{
    t->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (t->master < 0 || grantpt(t->master) != 0 || unlockpt(t->master) != 0)
        return -1;
    int slave = open(ptsname(t->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0)
        return -1;
    t->saved = dup(STDERR_FILENO);
    dup2(slave, STDERR_FILENO);
    close(slave);
    fcntl(t->master, F_SETFL, O_NONBLOCK);
    setenv("TERM", "xterm", 1);
    return 0;
}

static void close_terminal(struct terminal *t, char *seen, size_t room)
{
    size_t used = 0;
    ssize_t length;

    while ((length = read(t->master, seen + used, room - 1 - used)) > 0)
        used += (size_t)length;
    seen[used] = '\0';
    dup2(t->saved, STDERR_FILENO);
    close(t->saved);
    close(t->master);
}

static void *work(void *argument)
{
    struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 1300; i++) {
        progress_add(argument, 10);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void long_work_shows_and_erases_a_line(void **state)
{
    struct terminal t = {-1, -1};
    char seen[8192];
    pthread_t threads[2];
    unsigned lines = 0;

    (void)state;
    if (open_terminal(&t) != 0)
        skip();
    struct progress *p = progress_start("reads", 100000);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, p);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    progress_end(p);
    close_terminal(&t, seen, sizeof seen);
    for (const char *at = seen; (at = strstr(at, "reads: ")); at++)
        lines++;
    assert_in_range(lines, 1, 40);
    assert_non_null(strstr(seen, " of 100000 ("));
    assert_non_null(strstr(seen, "/s, 0:"));
    assert_non_null(strstr(seen, " left"));
    assert_string_equal(seen + strlen(seen) - 4, "\r\033[K");
}

static void short_work_shows_nothing(void **state)
{
    struct terminal t = {-1, -1};
    char seen[256];

    (void)state;
    if (open_terminal(&t) != 0)
        skip();
    struct progress *p = progress_start("reads", 10);
    progress_add(p, 10);
    progress_end(p);
    close_terminal(&t, seen, sizeof seen);
    assert_string_equal(seen, "");
}

static void no_terminal_no_progress(void **state)
{
    int saved = dup(STDERR_FILENO);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)state;
    dup2(null, STDERR_FILENO);
    struct progress *p = progress_start("reads", 10);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(null);
    assert_null(p);
    progress_add(p, 1);
    progress_end(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_work_shows_and_erases_a_line),
        cmocka_unit_test(short_work_shows_nothing),
        cmocka_unit_test(no_terminal_no_progress),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
