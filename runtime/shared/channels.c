/* Channels: how much of each write is still unread, which thread read and wrote last, and the order that
 * follows. */
#include "runtime/shared/channels.h"
#include "runtime/protocol/session.h"
#include "runtime/shared/runtime_invariant.h"

enum { CHANNELS = 256, WRITES = 1024, READS = 256, LOOKS = 32, ROOM = 4096, MOST_TOKENS = 64 };

struct channel {
    struct channel_key key; /* kind CHANNEL_NONE: a free slot */
    uint64_t put, taken;    /* bytes, ever */
    struct {
        uint64_t end; /* bytes put up to and with it */
        struct channel_call call;
    } writes[WRITES]; /* a ring of those not wholly read */
    uint32_t first, count;
    struct {
        uint64_t end; /* bytes taken up to and with it */
        struct channel_call call;
    } reads[READS]; /* the last ones, by number */
    uint64_t read_count;
    struct channel_call last_write;
    struct channel_call looks[LOOKS]; /* since the last write, a thread's last each */
    unsigned look_count;
    bool coarse;     /* bytes went by uncounted: each read may have got what was written last */
    bool semaphore;  /* a counter whose reads take one */
    uint64_t tokens; /* … and what it holds */
};

static struct channel channels[CHANNELS]; /* the last one stands for all that there is no other room for */
static uint64_t calls;

static struct channel *channel_of(struct channel_key key)
{
    struct channel *unused = NULL;

    if (key.kind == CHANNEL_NONE)
        return NULL;
    for (unsigned i = 0; i < CHANNELS - 1; i++) {
        if (channels[i].key.kind == key.kind && channels[i].key.a == key.a && channels[i].key.b == key.b)
            return &channels[i];
        if (channels[i].key.kind == CHANNEL_NONE && !unused)
            unused = &channels[i];
    }
    if (!unused) {
        unused = &channels[CHANNELS - 1];
        key = (struct channel_key){.kind = CHANNEL_LOOSE};
    }
    INVARIANT(unused->key.kind == CHANNEL_NONE || unused == &channels[CHANNELS - 1]);
    unused->key = key;
    unused->coarse |= key.kind == CHANNEL_LOOSE;
    return unused;
}

static const void *key_place(uint64_t call)
{
    return (const void *)(uintptr_t)(CHANNEL_BASE + call % (CHANNEL_BYTES / 8) * 8);
}

struct channel_call channel_call_number(uint32_t thread)
{
    return (struct channel_call){.number = ++calls, .thread = thread};
}

const void *channel_call_place(struct channel_call call)
{
    return key_place(call.number);
}

struct channel_call call_note(uintptr_t pc)
{
    struct channel_call call = channel_call_number(channel_thread());

    channel_log(RECORD_ONCE_DONE, channel_call_place(call), pc);
    return call;
}

void call_after(struct channel_call call, uintptr_t pc)
{
    if (call.number && call.thread != channel_thread())
        channel_log(RECORD_ONCE_SEEN, key_place(call.number), pc);
}

/* Whether another process may have written or read, too. */
static bool is_coarse(struct channel *c)
{
    if (channel_forked())
        c->coarse = true;
    return c->coarse;
}

/* A call that the next write must come after. If there are too many, a new one comes after an old one and
 * stands for both. */
static struct channel_call note_look(struct channel *c, uintptr_t pc)
{
    unsigned at = 0;

    while (at < c->look_count && c->looks[at].thread != channel_thread())
        at++;
    if (at == LOOKS) {
        at = 0;
        call_after(c->looks[at], pc);
    }
    INVARIANT(at < LOOKS && at <= c->look_count);
    c->look_count += at == c->look_count;
    return c->looks[at] = call_note(pc);
}

/* Comes after the read that made room for everything up to `end`. */
static void come_after_room(const struct channel *c, uint64_t end, uintptr_t pc)
{
    uint64_t oldest = c->read_count > READS ? c->read_count - READS : 0;

    if (end <= ROOM)
        return;
    for (uint64_t i = oldest; i < c->read_count; i++) {
        if (c->reads[i % READS].end < end - ROOM)
            continue;
        call_after(c->reads[i % READS].call, pc);
        return;
    }
}

static void add_write(struct channel *c, size_t length, uintptr_t pc)
{
    if (c->key.kind != CHANNEL_COUNTER) {
        call_after(c->last_write, pc);
        come_after_room(c, c->put + length, pc);
    }
    for (unsigned i = 0; i < c->look_count; i++)
        call_after(c->looks[i], pc);
    c->look_count = 0;
    c->put += length;
    c->last_write = call_note(pc);
    if (c->count == WRITES) {
        c->coarse = true;
        return;
    }
    INVARIANT(c->first < WRITES && c->count < WRITES);
    uint32_t at = (c->first + c->count++) % WRITES;
    c->writes[at].end = c->put;
    c->writes[at].call = c->last_write;
}

static void *semaphore_of(const struct channel *c)
{
    return (void *)(uintptr_t)key_place((uint64_t)(c - channels) + CHANNEL_BYTES / 16);
}

/* An event counter: a write adds, a read takes all, or one. */
static void add_value(struct channel *c, uint64_t value, uintptr_t pc)
{
    if (!c->semaphore || value > MOST_TOKENS) {
        c->semaphore = false;
        add_write(c, 1, pc);
        return;
    }
    INVARIANT(c->key.kind == CHANNEL_COUNTER);
    c->tokens += value;
    for (; value > 0; value--)
        channel_log(RECORD_POST, semaphore_of(c), pc);
    c->last_write = call_note(pc); /* for those who only look */
}

void channel_wrote(int fd, size_t length, uint64_t value, uintptr_t pc)
{
    struct channel *c = channel_of(channel_key(fd, true));

    if (c && c->key.kind == CHANNEL_COUNTER)
        add_value(c, value, pc);
    else if (c)
        add_write(c, length, pc);
}

void channel_closed(int fd, uintptr_t pc)
{
    struct channel_key key = channel_key(fd, true);
    struct channel *c = key.kind == CHANNEL_COUNTER ? NULL : channel_of(key);

    if (c)
        add_write(c, 0, pc);
}

static struct channel_call last_fork;

void channel_forks(uintptr_t pc)
{
    call_after(last_fork, pc);
    last_fork = call_note(pc);
}

void channel_after_all(uintptr_t pc)
{
    call_after(last_fork, pc);
    for (unsigned i = 0; i < CHANNELS; i++)
        if (channels[i].key.kind != CHANNEL_NONE)
            call_after(channels[i].last_write, pc);
}

static bool is_from_others(const struct channel *c)
{
    return channel_forked() && c->put == 0;
}

static void note_read(struct channel *c, bool looked, uintptr_t pc)
{
    struct channel_call call;

    if (c->read_count > 0)
        call_after(c->reads[(c->read_count - 1) % READS].call, pc);
    call = looked ? note_look(c, pc) : call_note(pc);
    INVARIANT(c->read_count == 0 || c->reads[(c->read_count - 1) % READS].end <= c->taken);
    c->reads[c->read_count % READS].end = c->taken;
    c->reads[c->read_count++ % READS].call = call;
}

/* Takes bytes from the writes that supplied them. */
static void take(struct channel *c, size_t length, uintptr_t pc)
{
    c->taken += length;
    while (c->count > 0) {
        uint64_t end = c->writes[c->first].end;
        INVARIANT(c->count <= WRITES && end <= c->put);
        call_after(c->writes[c->first].call, pc);
        if (end > c->taken)
            return;
        c->first = (c->first + 1) % WRITES;
        c->count--;
        if (end == c->taken)
            return;
    }
}

static void take_value(struct channel *c, uintptr_t pc)
{
    if (c->semaphore) {
        c->tokens -= c->tokens > 0;
        channel_log(RECORD_SEM_WAIT, semaphore_of(c), pc);
        return;
    }
    INVARIANT(c->count <= WRITES);
    for (; c->count > 0; c->count--) {
        call_after(c->writes[c->first].call, pc);
        c->first = (c->first + 1) % WRITES;
    }
    if (is_coarse(c))
        call_after(c->last_write, pc);
    note_read(c, true, pc);
}

void channel_read(int fd, size_t wanted, ssize_t got, uintptr_t pc)
{
    struct channel *c = channel_of(channel_key(fd, false));

    if (!c)
        return;
    if (got < 0) {
        note_look(c, pc);
        return;
    }
    if (is_from_others(c))
        channel_after_all(pc);
    if (c->key.kind == CHANNEL_COUNTER) {
        take_value(c, pc);
        return;
    }
    if (got == 0 || is_coarse(c)) { /* at the end: the last write end was closed */
        call_after(c->last_write, pc);
        c->count = 0;
    } else if (c->key.kind == CHANNEL_MESSAGES && c->count > 0) { /* one, whatever of it there was room for */
        take(c, c->writes[c->first].end - c->taken, pc);
    } else {
        take(c, (size_t)got, pc);
    }
    note_read(c, c->coarse || (c->key.kind == CHANNEL_STREAM && (size_t)got < wanted), pc);
}

static void polled(struct channel *c, bool ready, uintptr_t pc)
{
    if (!ready && !c->semaphore)
        note_look(c, pc);
    else if (c->semaphore ? ready && c->tokens > 0 : is_coarse(c))
        call_after(c->last_write, pc);
    else if (c->count > 0)
        call_after(c->writes[c->first].call, pc);
}

void channel_polled(const struct pollfd *fds, unsigned count, uintptr_t pc)
{
    for (unsigned i = 0; fds && i < count; i++) {
        struct channel *c =
            fds[i].events & POLLIN && fds[i].fd >= 0 ? channel_of(channel_key(fds[i].fd, false)) : NULL;
        if (c)
            polled(c, fds[i].revents != 0, pc);
    }
    for (unsigned i = 0; !fds && i < CHANNELS; i++)
        if (channels[i].key.kind != CHANNEL_NONE)
            polled(&channels[i], channels[i].count > 0 || channels[i].semaphore, pc);
}

void channel_stream_wrote(int fd, uintptr_t pc)
{
    struct channel *c = channel_of(channel_key(fd, true));

    if (!c)
        return;
    c->coarse = true;
    c->count = 0;
    add_write(c, 0, pc);
}

void channel_stream_read(int fd, uintptr_t pc)
{
    struct channel *c = channel_of(channel_key(fd, false));

    if (!c)
        return;
    c->coarse = true;
    if (is_from_others(c))
        channel_after_all(pc);
    call_after(c->last_write, pc);
    note_read(c, true, pc);
}

void channel_connecting(int fd, const struct sockaddr *address, unsigned length, uintptr_t pc)
{
    struct channel *c = channel_of(channel_listener_key(address, length));

    if (c)
        add_write(c, 1, pc);
    channel_pair_begin(fd, address, length);
}

/* An accept may have got any of the requested connections. */
void channel_accepted(int listener, int fd, uintptr_t pc)
{
    struct channel_key key = channel_listener_key_of(listener);
    struct channel *c = channel_of(key);

    for (uint32_t i = 0; c && i < c->count; i++)
        call_after(c->writes[(c->first + i) % WRITES].call, pc);
    if (c && c->count > 0)
        take(c, 1, pc);
    if (c)
        note_read(c, false, pc);
    channel_pair_end(listener, fd);
}

void channel_counter(int fd, bool semaphore)
{
    struct channel *c = channel_of(channel_key(fd, false));

    if (c)
        c->semaphore = semaphore;
}

void channel_blur(int fd, bool writing)
{
    struct channel *c = channel_of(channel_key(fd, writing));

    if (c)
        c->coarse = true;
}

bool channel_lacks(int fd, size_t got)
{
    struct channel *c = channel_of(channel_key(fd, false));

    if (!c || c->semaphore)
        return c && c->tokens == 0;
    if (is_coarse(c) || got == 0)
        return true;
    return c->key.kind == CHANNEL_STREAM ? c->put - c->taken < got : c->count == 0;
}
