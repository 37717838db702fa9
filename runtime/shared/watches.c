/* Descriptors that threads watch: a thread that epoll notifies of one, or that reads an expired timer, comes
 * after the thread that registered it. epoll reports the word that was registered with the descriptor. */
#include "runtime/shared/channels.h"

enum { WATCHES = 1024 };

static struct watch {
    int epoll, fd;
    uint64_t word;
    struct channel_call set;
} watches[WATCHES];

static unsigned watch_count;
static struct channel_call
    others; /* when there are too many: the last of them stands for all, each comes after the one before */

void watch_set(int epoll, int fd, uint64_t word, uintptr_t pc)
{
    unsigned at = 0;

    while (at < watch_count && (watches[at].epoll != epoll || watches[at].fd != fd))
        at++;
    if (at == WATCHES) {
        call_after(others, pc);
        others = call_note(pc);
        return;
    }
    watch_count += at == watch_count;
    watches[at] = (struct watch){.epoll = epoll, .fd = fd, .word = word, .set = call_note(pc)};
}

void watch_told(int epoll, uint64_t word, uintptr_t pc)
{
    for (unsigned i = 0; i < watch_count; i++)
        if (watches[i].epoll == epoll && watches[i].word == word)
            call_after(watches[i].set, pc);
    call_after(others, pc);
}

void watch_closed(int fd)
{
    for (unsigned i = 0; i < watch_count;)
        if (watches[i].fd == fd || watches[i].epoll == fd)
            watches[i] = watches[--watch_count];
        else
            i++;
}
