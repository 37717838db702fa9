/* expect: race=no assertion=yes */
/* A small server: handlers answer requests for a session, a keeper closes it once nobody uses it. All is done under the
 * lock, but not at once: it takes a switch in the keeper and one in a handler for an answer to go to a session that is gone. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { HANDLERS = 3, REQUESTS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session {
    char text[64];
    char *buffer;
    int users, answers;
    bool closing;
} session = {.buffer = session.text};
static int refused, log_lines;

static void log_line(void)
{
    static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&log_lock);
    log_lines++;
    pthread_mutex_unlock(&log_lock);
}

/* Enters the session unless it closes. */
static bool enter(struct session *s)
{
    bool open;

    pthread_mutex_lock(&lock);
    open = !s->closing;
    if (open)
        s->users++;
    pthread_mutex_unlock(&lock);
    return open;
}

static void leave(struct session *s)
{
    pthread_mutex_lock(&lock);
    s->users--;
    pthread_mutex_unlock(&lock);
}

static void answer(struct session *s, int request)
{
    log_line();
    pthread_mutex_lock(&lock);
    assert(s->buffer);
    snprintf(s->buffer, sizeof s->text, "answer %d", request);
    s->answers++;
    pthread_mutex_unlock(&lock);
}

static void *handler(void *arg)
{
    for (int i = 0; i < REQUESTS; i++) {
        if (enter(&session)) {
            answer(&session, i);
            leave(&session);
        } else {
            pthread_mutex_lock(&lock);
            refused++;
            pthread_mutex_unlock(&lock);
        }
        log_line();
    }
    return arg;
}

static bool is_in_use(const struct session *s)
{
    bool used;

    pthread_mutex_lock(&lock);
    used = s->users > 0;
    pthread_mutex_unlock(&lock);
    return used;
}

static void *keeper(void *arg)
{
    log_line();
    if (is_in_use(&session))
        return arg;
    pthread_mutex_lock(&lock);
    session.closing = true;
    session.buffer = NULL;
    pthread_mutex_unlock(&lock);
    log_line();
    return arg;
}

int main(void)
{
    pthread_t handlers[HANDLERS], keeping;

    for (int i = 0; i < HANDLERS; i++)
        pthread_create(&handlers[i], NULL, handler, NULL);
    pthread_create(&keeping, NULL, keeper, NULL);
    for (int i = 0; i < HANDLERS; i++)
        pthread_join(handlers[i], NULL);
    pthread_join(keeping, NULL);
    puts("served");
    return 0;
}
