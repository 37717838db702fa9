/* expect: race=no deadlock=no */
/* Things that are given up while others are still about to leave them: a barrier destroyed by the first who
 * passes it, a condition freed by who woke its waiters, a static that another thread failed to initialise. */
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

static const int threads = 3;

static void together(void (*function)(int))
{
    std::vector<std::thread> all;

    for (int i = 0; i < threads; i++)
        all.emplace_back(function, i);
    for (auto &thread : all)
        thread.join();
}

static pthread_barrier_t *passing, around;
static int passed[threads];

static void pass(int self)
{
    for (int i = 0; i < 3; i++) {
        passed[self]++;
        if (pthread_barrier_wait(passing) == PTHREAD_BARRIER_SERIAL_THREAD) {
            pthread_barrier_destroy(passing);
            if (i == 1) {
                memset(passing, 0x55, sizeof *passing);
                free(passing);
                passing = static_cast<pthread_barrier_t *>(malloc(sizeof *passing));
            }
            pthread_barrier_init(passing, nullptr, threads);
        }
        pthread_barrier_wait(&around);
    }
}

struct job {
    pthread_cond_t changed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static job *current;
static int waiting, woken;

static job *make_job()
{
    job *made = static_cast<job *>(malloc(sizeof *made));

    pthread_cond_init(&made->changed, nullptr);
    return made;
}

/* The last to come frees what the others wait at; what is made then may be in its place. */
static void wait_or_free(int)
{
    pthread_mutex_lock(&lock);
    job *mine = current;
    if (++waiting < threads) {
        while (current == mine)
            pthread_cond_wait(&mine->changed, &lock);
    } else {
        current = nullptr;
        pthread_cond_broadcast(&mine->changed);
        pthread_cond_destroy(&mine->changed);
        free(mine);
        job *other = make_job();
        pthread_cond_signal(&other->changed);
        free(other);
    }
    woken++;
    pthread_mutex_unlock(&lock);
}

static std::atomic<int> attempts, calls;
static int called;

struct fails_twice {
    int value;
    fails_twice() : value(1)
    {
        if (attempts++ < 2)
            throw 1;
        value = 2;
    }
};

static void initialise(int)
{
    for (;;)
        try {
            static fails_twice object;
            assert(object.value == 2);
            break;
        } catch (int) {
        }
}

static std::once_flag flag;

static void call(int)
{
    for (;;)
        try {
            std::call_once(flag, [] {
                called++;
                if (calls++ < 2)
                    throw 1;
            });
            break;
        } catch (int) {
        }
    assert(called == 3);
}

int main()
{
    passing = static_cast<pthread_barrier_t *>(malloc(sizeof *passing));
    pthread_barrier_init(passing, nullptr, threads);
    pthread_barrier_init(&around, nullptr, threads);
    together(pass);
    current = make_job();
    together(wait_or_free);
    assert(woken == threads);
    together(initialise);
    together(call);
    return 0;
}
