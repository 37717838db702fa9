/* expect: race=no nondet=no deadlock=no unordered=no */
/* Library functions at the edges of what they look at: bytes next to it are another thread's. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    char bytes[4]; /* no terminator: strncat is told the length */
    char next;
} part = {{'a', 'b', 'c', 'd'}, 0};

static char words[] = "one,two"; /* its end is read by both, and the last token needs no cut */
static char blank[4] = "   ";    /* a blank is no end in disguise */
static struct {
    char empty;
    char next;
} text;

static void *look(void *end)
{
    part.next = 1;
    text.next = 1;
    return *(char *)end ? end : NULL;
}

/* A text of no letters right before memory that is not there. */
static char *empty_at_edge(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    mprotect(pages + page, page, PROT_NONE);
    return pages + page - 1;
}

int main(void)
{
    char to[16] = "";
    char *rest = NULL, *position;
    char again[] = "x,y";
    pthread_t thread;
    int sum;

    pthread_create(&thread, NULL, look, &words[7]);
    strncat(to, part.bytes, 4);
    sum = strcasecmp(blank, &text.empty) > 0;
    sum += strcasecmp(blank, empty_at_edge()) > 0;
    strtok_r(words + 4, ",", &rest);
    position = again;
    while (strsep(&position, ","))
        sum++;
    pthread_join(thread, NULL);
    printf("%s %d\n", to, sum);
    return 0;
}
