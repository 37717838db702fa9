/* Programs that end in every way: ends HOW. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count;
static const char *how;

static void *work(void *unused)
{
    count++;
    if (strcmp(how, "assert") == 0)
        assert(count == 0);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "crash") == 0)
        *(volatile int *)0 = 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "alone") == 0)
        return 0;
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    if (strcmp(how, "child") == 0 && system("true") != 0)
        return 1;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return strcmp(how, "status") == 0 ? 3 : 0;
}
