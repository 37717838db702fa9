/* Each line of `library` makes the C library touch a buffer of its own, `spoil` writes to all of them,
 * unordered: as many races as there are lines. Prints their number. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>
#include <wchar.h>

enum { BUFFERS = 64, BYTES = 64 };

static char buffers[BUFFERS][BYTES];
static char *words[BUFFERS];
static FILE *file;
static int used;

static char *next(void)
{
    return buffers[used++];
}

static int order(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static int order_by(const void *a, const void *b, void *unused)
{
    (void)unused;
    return order(a, b);
}

static void *library(void *unused)
{
    char other[BYTES] = "other text", *rest = NULL;
    int number = 0;

    sprintf(next(), "%d", 5);
    snprintf(next(), 8, "%s", "abc");
    snprintf(other, sizeof other, "%5s|", next());
    snprintf(other, sizeof other, "%-*.*s|%c%f%ld", 5, 2, next(), 'x', 1.5, 7L);
    printf("%.9s", next());
    fprintf(stdout, "%s", next());
    number += sscanf("12", "%d", (int *)(void *)next());
    number += sscanf("a b", "%*s %s", next());
    number += sscanf(next(), "%d", &number);
    number += fseek(file, 0, SEEK_SET) == 0 && fgets(next(), 8, file) != NULL;
    number += (int)fread(next(), 1, 8, file);
    number += (int)fwrite(next(), 1, 1, file);
    fputs(next(), file);
    number += (int)getline(&words[used], &(size_t){0}, file), used++;
    memcpy(next(), "copied", 6);
    memset(next(), 0, 8);
    number += memcmp(next(), "x", 1) == 0;
    number += memchr(next(), 1, 4) != NULL;
    number += memrchr(next(), 1, 4) != NULL;
    strcpy(next(), "text");
    strncpy(next(), "text", 8);
    strcat(next(), "text");
    number += strcasecmp(next(), "text") == 0;
    number += (int)strspn(next(), "abc");
    number += (int)strcspn(next(), "abc");
    number += strpbrk(next(), "abc") != NULL;
    number += strtok(next(), ",") != NULL;
    number += strtok_r(next(), ",", &rest) != NULL;
    number += (int)strtol(next(), NULL, 10);
    number += (int)strtod(next(), NULL);
    number += atoi(next());
    number += (int)strlen(next());
    qsort(next(), 8, 1, order);
    bzero(next(), 4);
    free(strdup(next()));
    bcopy(other, next(), 8);
    number += bcmp(next(), "x", 1) == 0;
    number += index(next(), 'x') != NULL;
    number += rindex(next(), 'x') != NULL;
    number += *stpncpy(next(), "text", 8) != 0;
    swab(other, next(), 8);
    wmemcpy((wchar_t *)(void *)next(), L"text", 4);
    wmemset((wchar_t *)(void *)next(), L'x', 4);
    wcscpy((wchar_t *)(void *)next(), L"text");
    number += (int)wcslen((wchar_t *)(void *)next());
    qsort_r(next(), 8, 1, order_by, NULL);
    number += (int)getrandom(next(), 8, 0);
    number += asprintf(&words[used], "%d", 5), used++;
    return number ? unused : NULL;
}

static void *spoil(void *unused)
{
    for (int i = 0; i < BUFFERS; i++) {
        buffers[i][0] = 0;
        words[i] = NULL;
    }
    return unused;
}

int main(void)
{
    pthread_t one, two;

    file = tmpfile();
    if (!file)
        return 1;
    fputs("a line\nanother line\n", file);
    pthread_create(&one, NULL, library, NULL);
    pthread_create(&two, NULL, spoil, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", used);
    return 0;
}
