/* Spins: on a plain variable that another thread sets; in code without hooks; forever. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int flag;

__attribute__((no_sanitize("thread"))) static void spin_unseen(void)
{
    while (!flag)
        ;
}

static void *set(void *unused)
{
    usleep(100);
    flag = 1;
    return unused;
}

static void *block(void *unused)
{
    char byte;

    return fgets(&byte, 1, stdin) ? unused : NULL;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    pthread_t thread = 0;

    if (strcmp(how, "forever") != 0)
        pthread_create(&thread, NULL, strcmp(how, "input") == 0 ? block : set, NULL);
    if (strcmp(how, "plain") == 0 || strcmp(how, "forever") == 0)
        while (!flag)
            ;
    else if (strcmp(how, "unseen") == 0)
        spin_unseen();
    pthread_join(thread, NULL);
    puts("over");
    return 0;
}
