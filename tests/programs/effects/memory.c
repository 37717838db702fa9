/* Two threads that meet in memory that the C library touches, or in what it keeps for the process. The argument says where. Prints
 * what main saw of it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_t other, self;
static struct timespec clock_time;
static time_t seconds;
static sigset_t signals;
static pthread_attr_t attributes;
static FILE *stream;
static char *text, buffer[64];
static size_t length;
static pthread_key_t key;
static int seen;

static void nothing(void)
{
}

static void get_clock(void)
{
    clock_gettime(CLOCK_MONOTONIC, &clock_time);
}

static void look_at_clock(void)
{
    seen = clock_time.tv_sec != 0;
}

static void get_seconds(void)
{
    time(&seconds);
}

static void look_at_seconds(void)
{
    seen = seconds != 0;
}

static void set_seconds(void)
{
    seconds = 3 * 24 * 60 * 60;
}

static void look_at_day(void)
{
    struct tm date;

    seen = gmtime_r(&seconds, &date)->tm_mday;
}

static void empty_signals(void)
{
    sigemptyset(&signals);
}

static void add_signal(void)
{
    sigaddset(&signals, SIGUSR1);
}

static void look_at_signals(void)
{
    seen = sigismember(&signals, SIGUSR1);
}

static void start_attributes(void)
{
    pthread_attr_init(&attributes);
}

static void set_attributes(void)
{
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
}

static void look_at_attributes(void)
{
    pthread_attr_getdetachstate(&attributes, &seen);
}

static void open_text(void)
{
    stream = open_memstream(&text, &length);
    fflush(stream);
}

static void give_buffer(void)
{
    stream = stderr;
    text = buffer;
    setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
}

static void print(void)
{
    fputs("x", stream);
    fflush(stream);
}

static void look_at_text(void)
{
    seen = text[0] != 0;
}

static void change_output(void)
{
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

static void write_output(void)
{
    seen = (int)write(STDOUT_FILENO, "x", 1);
}

static void put_environment(void)
{
    setenv("HEDDLE_TEST_WORD", "there", 1);
}

static void look_at_environment(void)
{
    for (char **word = environ; *word; word++)
        seen |= strncmp(*word, "HEDDLE_TEST_WORD=", 17) == 0;
}

static void replace_environment(void)
{
    static char *none[] = {NULL};

    environ = none;
}

static void ask_environment(void)
{
    seen = getenv("PATH") != NULL;
}

static void count_end(void *unused)
{
    (void)unused;
    seen = 1;
}

static void make_key(void)
{
    pthread_key_create(&key, count_end);
}

static void set_key(void)
{
    pthread_setspecific(key, &key);
}

static void delete_key(void)
{
    pthread_key_delete(key);
}

static void draw(void)
{
    lrand48();
}

static void draw_seen(void)
{
    seen = (int)(lrand48() % 1000);
}

static void know_self(void)
{
    self = pthread_self();
}

static void change_policy(void)
{
    pthread_setschedparam(self, SCHED_BATCH, &(struct sched_param){0});
}

static void look_at_policy(void)
{
    struct sched_param parameters;

    pthread_getschedparam(self, &seen, &parameters);
}

static const struct scene {
    const char *name;
    void (*before)(void), (*thread)(void), (*main)(void);
} scenes[] = {
    {"clock", nothing, get_clock, look_at_clock},
    {"seconds", nothing, get_seconds, look_at_seconds},
    {"day", nothing, set_seconds, look_at_day},
    {"signals", empty_signals, add_signal, look_at_signals},
    {"attributes", start_attributes, set_attributes, look_at_attributes},
    {"text", open_text, print, look_at_text},
    {"buffer", give_buffer, print, look_at_text},
    {"output", nothing, change_output, write_output},
    {"environ", nothing, put_environment, look_at_environment},
    {"replaced", nothing, replace_environment, ask_environment},
    {"key", make_key, set_key, delete_key},
    {"numbers", nothing, draw, draw_seen},
    {"policy", know_self, change_policy, look_at_policy},
};

static void *run(void *scene)
{
    ((const struct scene *)scene)->thread();
    return NULL;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (argc > 1 && strcmp(argv[1], scenes[i].name) == 0) {
            scenes[i].before();
            pthread_create(&other, NULL, run, (void *)&scenes[i]);
            scenes[i].main();
            pthread_join(other, NULL);
            printf("%d\n", seen);
            return 0;
        }
    return 1;
}
