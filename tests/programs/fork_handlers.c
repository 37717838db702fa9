/* expect: race=no deadlock=no */
/* Forks in a thread, with handlers that take the lock the others use; a vfork whose child ends at once. */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void prepare(void)
{
    pthread_mutex_lock(&lock);
    balance++;
}

static void in_parent(void)
{
    balance--;
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    balance = 5;
    pthread_mutex_unlock(&lock);
}

static void *change(void *unused)
{
    for (int i = 0; i < 40; i++) {
        pthread_mutex_lock(&lock);
        balance++;
        balance--;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void await(pid_t child, int expected)
{
    int status;

    assert(child > 0 && waitpid(child, &status, 0) == child);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

static void *fork_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            pthread_mutex_lock(&lock);
            _exit(balance);
        }
        await(child, 5);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pid_t child;

    pthread_atfork(prepare, in_parent, in_child);
    pthread_create(&threads[0], NULL, change, NULL);
    pthread_create(&threads[1], NULL, fork_twice, NULL);
    pthread_create(&threads[2], NULL, change, NULL);
    child = vfork();
    if (child == 0)
        _exit(7);
    await(child, 7);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(balance == 0);
    return 0;
}
