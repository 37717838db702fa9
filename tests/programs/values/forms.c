/* Accesses that have no assignment of their own: each of these variables is written by one thread and read by
 * the other, one of the two in a form that compilers are known to overlook. With -DLOCKED under a lock, else
 * racing. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

struct large {
    int a[20];
};
struct small {
    int a[3];
};
struct padded {
    long a;
    char b;
};
struct whole {
    struct large inner[2];
};

/* Written in some form, read plainly. */
static struct large given_large;
static struct small given_small;
static struct padded given_padded;
static struct whole given_part;
static struct large *given_by_pointer;
static struct large given_after_jump;
static char copied_17[17], copied_40[40], moved_33[33], filled_24[24], text_copied[20];

/* Written plainly, read in some form. */
static struct large taken_large;
static struct small taken_small;
static struct padded taken_padded;
static struct whole taken_part;
static char source_40[40], source_17[17], compared_24[24], text_measured[20], text_compared[20];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf back;

#ifdef LOCKED
#define ENTER pthread_mutex_lock(&lock)
#define LEAVE pthread_mutex_unlock(&lock)
#else
#define ENTER (void)lock
#define LEAVE (void)lock
#endif

#ifdef __clang__
#define NOT_INLINED __attribute__((noinline))
#else
#define NOT_INLINED __attribute__((noipa))
#endif

static NOT_INLINED struct large give_large(int first)
{
    struct large made = {{first}};

    made.a[first] = first;
    return made;
}

static NOT_INLINED struct small give_small(int first)
{
    struct small made = {{first, 2, 3}};

    return made;
}

static NOT_INLINED struct padded give_padded(int first)
{
    struct padded made = {.a = first, .b = 1};

    return made;
}

static NOT_INLINED int take_large(struct large value)
{
    return value.a[0];
}

static NOT_INLINED int take_small(struct small value)
{
    return value.a[0];
}

static NOT_INLINED int take_padded(struct padded value, struct small other)
{
    return value.b + other.a[1];
}

static NOT_INLINED void *hide(void *pointer)
{
    return pointer;
}

static NOT_INLINED void give_and_jump(struct large *to)
{
    if (setjmp(back) == 0) {
        *to = give_large(4);
        longjmp(back, 1);
    }
}

static void *give(void *unused)
{
    char local[40] = "all of this goes to some other place";

    hide(local);
    ENTER;
    given_large = give_large(1);
    given_small = give_small(1);
    given_padded = give_padded(1);
    given_part.inner[1] = give_large(2);
    *given_by_pointer = give_large(3);
    give_and_jump(&given_after_jump);
    __builtin_memcpy(hide(copied_17), local, 17);
    __builtin_memcpy(copied_40, local, 40);
    __builtin_memmove(hide(moved_33), local, 33);
    __builtin_memset(filled_24, 7, 24);
    __builtin_strcpy(hide(text_copied), "a text of some size");
    taken_large.a[0] = 1;
    taken_small.a[0] = 2;
    taken_padded.b = 3;
    taken_part.inner[1].a[0] = 4;
    source_40[1] = 5;
    source_17[1] = 6;
    compared_24[0] = 7;
    text_measured[0] = 'm';
    text_compared[0] = 'c';
    LEAVE;
    return unused;
}

static void *take(void *sum)
{
    char local[40];
    int s = 0;

    ENTER;
    s += given_large.a[0] + given_small.a[0] + given_padded.b + given_part.inner[1].a[0];
    s += given_by_pointer->a[0] + given_after_jump.a[0];
    s += copied_17[0] + copied_40[1] + moved_33[2] + filled_24[3] + text_copied[4];
    s += take_large(taken_large) + take_small(taken_small);
    s += take_padded(taken_padded, taken_small) + take_large(taken_part.inner[1]);
    __builtin_memcpy(local, source_40, 40);
    s += local[1];
    __builtin_memcpy(local, hide(source_17), 17);
    s += local[1];
    s += __builtin_memcmp(hide(compared_24), local, 24) == 0;
    s += (int)__builtin_strlen(hide(text_measured));
    s += __builtin_strcmp(hide(text_compared), "some text") == 0;
    LEAVE;
    *(int *)sum += s;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    struct large heap;
    int sum = 0;

    given_by_pointer = hide(&heap);
    heap = give_large(0);
    pthread_create(&threads[0], NULL, give, NULL);
    pthread_create(&threads[1], NULL, take, &sum);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d\n", given_large.a[1], given_part.inner[1].a[2], given_by_pointer->a[3]);
    return sum == -1;
}
