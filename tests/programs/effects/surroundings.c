/* Two threads that meet outside their memory: in files, the environment, the process. The argument says where.
 * Each prints what main saw of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int fd, first, second;
static FILE *stream;
static sem_t semaphore;
static pthread_t other;
static volatile int *shared;

static void put_environment(void)
{
    setenv("HEDDLE_TEST_WORD", "there", 1);
}

static void get_environment(void)
{
    first = getenv("HEDDLE_TEST_WORD") != NULL;
}

static void clear_zone(void)
{
    unsetenv("TZ");
}

static void set_zone(void)
{
    setenv("TZ", "XXX-5", 1);
}

static void look_at_hour(void)
{
    struct tm date;

    first = localtime_r(&(time_t){0}, &date)->tm_hour;
}

static void draw_second(void)
{
    second = rand() % 1000;
}

static void draw_first(void)
{
    first = rand() % 1000;
}

static void make_folder(void)
{
    second = mkdir("meeting", 0700) == 0;
}

static void make_folder_first(void)
{
    first = mkdir("meeting", 0700) == 0;
}

static void remove_folder(void)
{
    rmdir("meeting");
}

static void create_second(void)
{
    second = open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
}

static void create_first(void)
{
    first = open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
}

static void remove_file(void)
{
    unlink("lock");
}

static void change_folder(void)
{
    if (chdir("/") != 0)
        second = 1;
}

static void look_at_folder(void)
{
    char folder[4096];

    first = getcwd(folder, sizeof folder) && strcmp(folder, "/") == 0;
}

static void change_mask(void)
{
    umask(077);
}

static void look_at_mask(void)
{
    first = (int)umask(022);
}

static void start_mask(void)
{
    umask(022);
}

static void open_second(void)
{
    open("/dev/null", O_RDONLY);
}

static void open_first(void)
{
    first = open("/dev/null", O_RDONLY);
}

static void fill_file(void)
{
    fd = memfd_create("file", 0);
    if (write(fd, "ab", 2) == 2)
        lseek(fd, 0, SEEK_SET);
}

static void read_second(void)
{
    char byte = 0;

    second = read(fd, &byte, 1) == 1 ? byte : 0;
}

static void read_first(void)
{
    char byte = 0;

    first = read(fd, &byte, 1) == 1 ? byte : 0;
}

static void write_at(void)
{
    second = (int)pwrite(fd, "x", 1, 0);
}

static void read_at(void)
{
    char byte = 0;

    first = pread(fd, &byte, 1, 0) == 1 ? byte : 0;
}

static void fill_stream(void)
{
    stream = tmpfile();
    fputs("ab", stream);
    rewind(stream);
}

static void character_second(void)
{
    second = getc(stream);
}

static void character_first(void)
{
    first = getc(stream);
}

static void input_second(void)
{
    second = getchar();
}

static void input_first(void)
{
    first = getchar();
}

static void seek(void)
{
    fseek(stream, 1, SEEK_SET);
}

static void tell(void)
{
    first = (int)ftell(stream);
}

static void set_locale(void)
{
    setlocale(LC_ALL, "C.UTF-8");
}

static void look_at_locale(void)
{
    first = strcmp(setlocale(LC_ALL, NULL), "C") != 0;
}

static void prepare_semaphore(void)
{
    sem_init(&semaphore, 0, 0);
}

static void post(void)
{
    sem_post(&semaphore);
}

static void look_at_semaphore(void)
{
    sem_getvalue(&semaphore, &first);
}

static void nothing(void)
{
}

static void try_join(void)
{
    first = pthread_tryjoin_np(other, NULL) == 0;
}

static void share_with_child(void)
{
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        shared[1] = shared[0];
        _exit(0);
    }
}

static void set_shared(void)
{
    shared[0] = 1;
}

static void await_child(void)
{
    waitpid(-1, NULL, 0);
    first = shared[1];
}

static void map_file(void)
{
    fd = memfd_create("file", 0);
    if (ftruncate(fd, 4096) == 0)
        shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void send_signal(void)
{
    second = pthread_kill(pthread_self(), 0);
}

static void cancel(void)
{
    pthread_cancel(other);
}

static const struct scene {
    const char *name;
    void (*before)(void), (*thread)(void), (*main)(void), (*after)(void);
} scenes[] = {
    {"environment", nothing, put_environment, get_environment, nothing},
    {"zone", clear_zone, set_zone, look_at_hour, nothing},
    {"random", nothing, draw_second, draw_first, nothing},
    {"folder", remove_folder, make_folder, make_folder_first, remove_folder},
    {"exclusive", remove_file, create_second, create_first, remove_file},
    {"working-folder", nothing, change_folder, look_at_folder, nothing},
    {"mask", start_mask, change_mask, look_at_mask, nothing},
    {"descriptor", nothing, open_second, open_first, nothing},
    {"position", fill_file, read_second, read_first, nothing},
    {"place", fill_file, write_at, read_at, nothing},
    {"character", fill_stream, character_second, character_first, nothing},
    {"input", nothing, input_second, input_first, nothing},
    {"seek", fill_stream, seek, tell, nothing},
    {"locale", nothing, set_locale, look_at_locale, nothing},
    {"semaphore", prepare_semaphore, post, look_at_semaphore, nothing},
    {"try-join", nothing, nothing, try_join, nothing},
    {"child", share_with_child, set_shared, await_child, nothing},
    {"mapping", map_file, set_shared, nothing, nothing},
    {"signal", nothing, send_signal, nothing, nothing},
    {"cancel", nothing, nothing, cancel, nothing},
    {"left-behind", nothing, create_second, nothing, nothing},
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
            if (strcmp(scenes[i].name, "try-join") != 0 || !first)
                pthread_join(other, NULL);
            scenes[i].after();
            printf("%d %d\n", first, second);
            return 0;
        }
    return 1;
}
