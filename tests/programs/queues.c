/* expect: race=no nondet=no deadlock=no */
/* Data handed over by message queues and semaphores of the kernel's, and by a signal that is read from a file;
 * a thread that is cancelled wherever it is. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { QUEUE, SEMAPHORES, POSIX_QUEUE, SIGNAL, WAYS };

static int queue, semaphores, file, data;
static mqd_t posix_queue;

struct message {
    long type;
    char text[4];
};

static void *send_by(void *way)
{
    struct message message = {1, "abc"};
    struct sembuf up = {0, 1, 0};

    data++;
    switch ((int)(long)way) {
    case QUEUE:
        assert(msgsnd(queue, &message, sizeof message.text, 0) == 0);
        break;
    case SEMAPHORES:
        assert(semop(semaphores, &up, 1) == 0);
        break;
    case POSIX_QUEUE:
        assert(mq_send(posix_queue, "abc", 3, 0) == 0);
        break;
    default:
        kill(getpid(), SIGUSR2);
    }
    return NULL;
}

static void receive_by(int way)
{
    struct message message;
    struct sembuf down = {0, -1, 0};
    struct signalfd_siginfo about;
    char text[16];

    switch (way) {
    case QUEUE:
        assert(msgrcv(queue, &message, sizeof message.text, 0, 0) == sizeof message.text);
        break;
    case SEMAPHORES:
        assert(semop(semaphores, &down, 1) == 0);
        break;
    case POSIX_QUEUE:
        assert(mq_receive(posix_queue, text, sizeof text, NULL) == 3);
        break;
    default:
        assert(read(file, &about, sizeof about) == sizeof about && about.ssi_signo == SIGUSR2);
    }
    assert(data == way + 1);
}

static void *runs_on(void *unused)
{
    volatile int steps = 0;

    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        steps = (steps + 1) % 1000;
    return unused;
}

static void make(void)
{
    struct mq_attr small = {.mq_maxmsg = 2, .mq_msgsize = 16};
    char name[64];
    sigset_t signals;

    queue = msgget(IPC_PRIVATE, 0600);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    snprintf(name, sizeof name, "/heddle_queues_%d", (int)getpid());
    posix_queue = mq_open(name, O_CREAT | O_RDWR, 0600, &small);
    mq_unlink(name);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    file = signalfd(-1, &signals, 0);
}

int main(void)
{
    pthread_t thread;
    void *result;

    make();
    for (int way = 0; way < WAYS; way++) {
        if (way == POSIX_QUEUE && posix_queue == (mqd_t)-1) { /* not everywhere */
            data++;
            continue;
        }
        pthread_create(&thread, NULL, send_by, (void *)(long)way);
        receive_by(way);
        pthread_join(thread, NULL);
    }
    msgctl(queue, IPC_RMID, NULL);
    semctl(semaphores, 0, IPC_RMID);
    pthread_create(&thread, NULL, runs_on, NULL);
    usleep(1000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
