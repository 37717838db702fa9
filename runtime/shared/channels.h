/* Pipes, sockets and event counters between threads of the program: what is read came after it was written.
 *
 * What a call gives and takes depends on what came before it in the channel. All of that becomes order in the
 * trace, so that in every run predicted from it each read would get the bytes it got:
 *   - a read comes after the writes that supplied its bytes, and after the reads before it;
 *   - a write comes after the writes before it, and after the read that made room for it;
 *   - a read that would have taken more, and a look that found nothing, come before the next write.
 * The Valgrind tool uses the same code: it knows nothing of its host but the functions below. */
#pragma once
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct channel;

/* A call that other calls may have to come after. */
struct channel_call {
    uint64_t number; /* from 1; 0: none */
    uint32_t thread;
};

/* From here on later calls may ask to come after this one; this one does so. */
struct channel_call call_note(uintptr_t pc);
void call_after(struct channel_call call, uintptr_t pc);

/* A call that another thread is taken to have made; where its record is. */
struct channel_call channel_call_number(uint32_t thread);
const void *channel_call_place(struct channel_call call);

/* After calls on a descriptor. `value`: what was added to an event counter. `wanted`: how many bytes a read
 * would have taken; `got` < 0: there was nothing. */
void channel_wrote(int fd, size_t length, uint64_t value, uintptr_t pc);
void channel_read(int fd, size_t wanted, ssize_t got, uintptr_t pc);

/* Before a close or shutdown, which readers see as an end. */
void channel_closed(int fd, uintptr_t pc);

/* Before a process is made. What it does comes after that; what comes out of a channel that no thread has put anything in may come from
 * it, and it may have heard of anything. */
void channel_forks(uintptr_t pc);

/* After something that any write to any channel, and any process that was made, may have caused. */
void channel_after_all(uintptr_t pc);

/* What poll, select or epoll found. `fds` NULL: anything may have been looked at. */
void channel_polled(const struct pollfd *fds, unsigned count, uintptr_t pc);

/* A stream of the C library: what is in its buffer and what went through is not known. */
void channel_stream_wrote(int fd, uintptr_t pc);
void channel_stream_read(int fd, uintptr_t pc);

/* Before a connect; after an accept. */
void channel_connecting(int fd, const struct sockaddr *address, unsigned length, uintptr_t pc);
void channel_accepted(int listener, int fd, uintptr_t pc);

/* A new event counter. */
void channel_counter(int fd, bool semaphore);

/* senders.c: before a signal is sent, after one came. The number after all signals stands for what goes through
 * message queues and semaphores of the kernel's. */
enum { SENT_MESSAGE = 65 };
void signal_sent(int number, uintptr_t pc);
void signal_received(int number, uintptr_t pc);

/* watches.c: before a descriptor is given to epoll with a word, or to WATCH_TIMER, a timer, with itself for a
 * word; after a thread was notified; after one was closed. */
enum { WATCH_TIMER = -1 };
void watch_set(int epoll, int fd, uint64_t word, uintptr_t pc);
void watch_told(int epoll, uint64_t word, uintptr_t pc);
void watch_closed(int fd);

/* For a host that sees calls begin and end, and others in between. Calls on the channel overlapped: in which
 * order the kernel made them is not known, and each read comes after all that was written. */
void channel_blur(int fd, bool writing);
/* Whether what was written so far cannot be all that a read got: somebody's write is to be noted first. */
bool channel_lacks(int fd, size_t got);

/* Provided by the host: the calling thread; whether another process may write and read, too; a record. */
uint32_t channel_thread(void);
bool channel_forked(void);
void channel_log(unsigned kind, const void *object, uintptr_t pc);

/* channel_keys.c: where the bytes go that are written to a descriptor, and come from that are read. */
enum channel_kind { CHANNEL_NONE, CHANNEL_STREAM, CHANNEL_MESSAGES, CHANNEL_LOOSE, CHANNEL_COUNTER };

struct channel_key {
    uint64_t a, b;
    enum channel_kind kind;
};

struct channel_key channel_key(int fd, bool writing);
/* The same for connections asked for at an address; of what a listening socket is bound to. */
struct channel_key channel_listener_key(const struct sockaddr *address, unsigned length);
struct channel_key channel_listener_key_of(int fd);

/* Unix sockets have no addresses to tell connections by: both ends of a socket pair, an end that asks to be
 * connected, one that does so no more, and the end that an accept made of it. */
void channel_pair(int one, int other);
void channel_pair_begin(int fd, const struct sockaddr *address, unsigned length);
void channel_pair_failed(int fd);
void channel_pair_end(int listener, int fd);
