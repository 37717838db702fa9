/* Channels by inode: how much of which write is still unread. */
#include "channels.h"
#include "system.h"

#include <sys/stat.h>

enum { CHANNELS = 256, WRITES = 1024 };

struct channel {
    uint64_t device, inode; /* 0: a free slot */
    uint64_t peer;          /* inode of the other end of a socket pair, 0: none */
    size_t unread[WRITES];  /* a ring: bytes left of each write */
    bool fresh[WRITES];     /* nothing of it was read yet */
    uint32_t first, count;
    char object; /* its address stands for the channel in the trace */
};

static struct channel channels[CHANNELS];

static struct channel *channel_of(uint64_t device, uint64_t inode)
{
    struct channel *unused = NULL;

    for (unsigned i = 0; i < CHANNELS; i++) {
        if (channels[i].inode == inode && channels[i].device == device)
            return &channels[i];
        if (channels[i].inode == 0 && !unused)
            unused = &channels[i];
    }
    if (unused) {
        unused->device = device;
        unused->inode = inode;
    }
    return unused;
}

/* The channel behind the descriptor, if it is of a kind that can be one. */
static struct channel *open_channel(int fd)
{
    struct stat about = {0};

    if (system_call(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) != 0 ||
        !(S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)))
        return NULL;
    return channel_of(about.st_dev, about.st_ino);
}

void channel_pair(int one, int other)
{
    struct stat a = {0}, b = {0};

    if (system_call(SYS_fstat, one, (long)&a, 0, 0, 0, 0) != 0 ||
        system_call(SYS_fstat, other, (long)&b, 0, 0, 0, 0) != 0)
        return;
    struct channel *x = channel_of(a.st_dev, a.st_ino), *y = channel_of(b.st_dev, b.st_ino);
    if (!x || !y)
        return;
    x->peer = b.st_ino;
    y->peer = a.st_ino;
    x->count = y->count = 0;
}

void channel_wrote(int fd, size_t length, uintptr_t pc)
{
    struct channel *c = open_channel(fd);

    if (c && c->peer)
        c = channel_of(c->device, c->peer); /* what is read at the other end */
    if (!c || c->count == WRITES)
        return;
    uint32_t at = (c->first + c->count++) % WRITES;
    c->unread[at] = length;
    c->fresh[at] = true;
    log_emit(RECORD_POST, &c->object, pc, 0);
}

void channel_read(int fd, size_t length, uintptr_t pc)
{
    struct channel *c = open_channel(fd);

    while (c && c->count > 0 && length > 0) {
        size_t take = length < c->unread[c->first] ? length : c->unread[c->first];
        if (c->fresh[c->first])
            log_emit(RECORD_SEM_WAIT, &c->object, pc, 0);
        c->fresh[c->first] = false;
        length -= take;
        c->unread[c->first] -= take;
        if (c->unread[c->first] == 0) {
            c->first = (c->first + 1) % WRITES;
            c->count--;
        }
    }
}
