/* Which channel is behind a descriptor: by inode for pipes and unix sockets, by addresses for connections, by
 * the kernel's number for event counters. Descriptors that were duplicated or handed on are the same channel.
 */
#include "runtime/runtime.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/runtime_invariant.h"
#include "runtime/system.h"

#include <fcntl.h>
#include <linux/major.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

enum { ENDS = 1024 };

/* Ends of unix sockets: what is written goes to one channel, what is read comes from another. */
struct end {
    uint64_t inode;
    uint64_t writes, reads; /* numbers of channels */
    uint64_t address;       /* it asks to be connected to; 0: it is */
};

static struct end ends[ENDS];
static unsigned end_count;
static uint64_t pairs;

static struct end *end_of(uint64_t inode)
{
    for (unsigned i = 0; i < end_count; i++)
        if (ends[i].inode == inode)
            return &ends[i];
    return NULL;
}

/* The newest last: those that wait to be accepted are in the order they asked. */
static void add_end(struct end end)
{
    unsigned at = 0;

    while (at < end_count && ends[at].inode != end.inode)
        at++;
    if (at == ENDS)
        at = 0;
    for (end_count -= at < end_count; at < end_count; at++)
        ends[at] = ends[at + 1];
    INVARIANT(end_count < ENDS);
    ends[end_count++] = end;
}

static uint64_t inode_of(int fd)
{
    struct stat about = {0};

    return system_call(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) == 0 ? about.st_ino : 0;
}

void channel_pair(int one, int other)
{
    uint64_t pair = ++pairs;

    add_end((struct end){.inode = inode_of(one), .writes = 2 * pair, .reads = 2 * pair + 1});
    add_end((struct end){.inode = inode_of(other), .writes = 2 * pair + 1, .reads = 2 * pair});
}

void channel_pair_begin(int fd, const struct sockaddr *address, unsigned length)
{
    struct channel_key key = channel_listener_key(address, length);
    uint64_t pair;

    if (address->sa_family != AF_UNIX)
        return;
    pair = ++pairs;
    add_end((struct end){.inode = inode_of(fd), .writes = 2 * pair, .reads = 2 * pair + 1, .address = key.b});
}

void channel_pair_failed(int fd)
{
    struct end *end = end_of(inode_of(fd));

    if (end && end->address)
        end->inode = 0;
}

void channel_pair_end(int listener, int fd)
{
    struct channel_key key = channel_listener_key_of(listener);
    struct ucred peer = {0};
    unsigned length = sizeof peer;

    if (system_call(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&length, 0) != 0 ||
        peer.pid != system_call(SYS_getpid, 0, 0, 0, 0, 0, 0))
        return;
    for (unsigned i = 0; i < end_count; i++) {
        struct end *client = &ends[i];
        if (client->inode == 0 || client->address != key.b)
            continue;
        client->address = 0;
        add_end((struct end){.inode = inode_of(fd), .writes = client->reads, .reads = client->writes});
        return;
    }
}

/* Addresses as one number, ports included; loopback addresses of both families look alike. */
static uint64_t mix_address(const struct sockaddr_storage *address)
{
    uint64_t mixed = UINT64_C(0xcbf29ce484222325);

    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;
        mixed ^= (uint64_t)in->sin_addr.s_addr << 16 ^ in->sin_port;
    } else if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)(const void *)address;
        uint32_t parts[4];
        copy_bytes(parts, &in->sin6_addr, sizeof parts);
        if (parts[0] == 0 && parts[1] == 0 && parts[2] == 0xffff0000u) /* IPv4 in IPv6 */
            mixed ^= (uint64_t)parts[3] << 16 ^ in->sin6_port;
        else
            mixed ^= ((uint64_t)(parts[0] ^ parts[1] * 31 ^ parts[2] * 961 ^ parts[3]) << 16) ^ in->sin6_port;
    }
    return mixed * UINT64_C(0x100000001b3);
}

static bool name_of(long call, int fd, struct sockaddr_storage *address)
{
    unsigned length = sizeof *address;

    clear_bytes(address, sizeof *address);
    return system_call(call, fd, (long)address, (long)&length, 0, 0, 0) == 0;
}

static int option_of(int fd, int option)
{
    int value = -1;
    unsigned length = sizeof value;

    return system_call(SYS_getsockopt, fd, SOL_SOCKET, option, (long)&value, (long)&length, 0) == 0 ? value
                                                                                                    : -1;
}

static struct channel_key network_key(int fd, bool writing)
{
    struct sockaddr_storage local_name, peer_name;
    bool stream = option_of(fd, SO_TYPE) == SOCK_STREAM;

    if (!name_of(SYS_getsockname, fd, &local_name) || (stream && !name_of(SYS_getpeername, fd, &peer_name)))
        return (struct channel_key){0};
    if (!stream) /* datagrams come from anywhere and may be lost: all of them are one channel */
        return (struct channel_key){.a = 1, .b = 1, .kind = CHANNEL_LOOSE};
    uint64_t here = mix_address(&local_name), there = mix_address(&peer_name);
    return (struct channel_key){
        .a = writing ? here : there, .b = writing ? there : here, .kind = CHANNEL_STREAM};
}

static struct channel_key socket_key(int fd, const struct stat *about, bool writing)
{
    int type = option_of(fd, SO_TYPE);
    const struct end *end = end_of(about->st_ino);

    if (option_of(fd, SO_DOMAIN) != AF_UNIX)
        return network_key(fd, writing);
    if (!end)
        return (struct channel_key){.a = 1, .b = 1, .kind = type == SOCK_DGRAM ? CHANNEL_LOOSE : CHANNEL_NONE};
    return (struct channel_key){.a = 3,
                                .b = writing ? end->writes : end->reads,
                                .kind = type == SOCK_STREAM ? CHANNEL_STREAM : CHANNEL_MESSAGES};
}

struct channel_key channel_listener_key(const struct sockaddr *address, unsigned length)
{
    struct channel_key key = {.a = 2, .kind = CHANNEL_MESSAGES};

    if (address->sa_family == AF_INET)
        key.b = ((const struct sockaddr_in *)(const void *)address)->sin_port;
    else if (address->sa_family == AF_INET6)
        key.b = ((const struct sockaddr_in6 *)(const void *)address)->sin6_port;
    for (unsigned i = 2; address->sa_family == AF_UNIX && i < length; i++) {
        char byte = ((const char *)address)[i];
        if (byte == '\0' && i > 2)
            break;
        key.b = (key.b ^ (unsigned char)byte) * UINT64_C(0x100000001b3) + 1;
    }
    return key;
}

struct channel_key channel_listener_key_of(int fd)
{
    struct sockaddr_storage name = {0};
    unsigned length = sizeof name;

    if (system_call(SYS_getsockname, fd, (long)&name, (long)&length, 0, 0, 0) != 0)
        return (struct channel_key){0};
    return channel_listener_key((const struct sockaddr *)&name, length);
}

/* The number after "eventfd-id:" in what the kernel tells of the descriptor. */
static uint64_t counter_number(int fd)
{
    char path[32] = "/proc/self/fdinfo/", text[512];
    size_t at = text_length(path), digits = 1;
    long got;

    for (int rest = fd; rest >= 10; rest /= 10)
        digits++;
    for (size_t i = digits; i-- > 0; fd /= 10)
        path[at + i] = (char)('0' + fd % 10);
    path[at + digits] = '\0';
    long info = system_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (info < 0)
        return 0;
    got = system_call(SYS_read, info, (long)text, sizeof text - 1, 0, 0, 0);
    system_call(SYS_close, info, 0, 0, 0, 0, 0);
    text[got > 0 ? got : 0] = '\0';
    for (const char *p = text; *p; p++) {
        uint64_t number = 0;
        if (!text_begins(p, "eventfd-id:"))
            continue;
        for (p += 11; *p == ' ' || *p == '\t'; p++)
            ;
        for (; *p >= '0' && *p <= '9'; p++)
            number = number * 10 + (uint64_t)(*p - '0');
        return number + 1;
    }
    return 0;
}

/* A terminal that the program has made for itself: what is written to one end is read from the other. Its standard streams
 * may be terminals, too, and join nobody. */
static bool is_own_terminal(int fd, const struct stat *about)
{
    unsigned kind = major(about->st_rdev);

    return fd > STDERR_FILENO && S_ISCHR(about->st_mode) &&
           (kind == TTYAUX_MAJOR ||
            (kind >= UNIX98_PTY_SLAVE_MAJOR && kind < UNIX98_PTY_SLAVE_MAJOR + UNIX98_PTY_MAJOR_COUNT));
}

struct channel_key channel_key(int fd, bool writing)
{
    struct stat about = {0};

    if (system_call(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) != 0)
        return (struct channel_key){0};
    if (S_ISFIFO(about.st_mode))
        return (struct channel_key){.a = about.st_dev, .b = about.st_ino, .kind = CHANNEL_STREAM};
    if (S_ISSOCK(about.st_mode))
        return socket_key(fd, &about, writing);
    if ((about.st_mode & S_IFMT) == 0) { /* an anonymous inode */
        uint64_t number = counter_number(fd);
        return (struct channel_key){.a = 0, .b = number, .kind = number ? CHANNEL_COUNTER : CHANNEL_NONE};
    }
    if (is_own_terminal(fd, &about))
        return (struct channel_key){.a = 1, .b = 2, .kind = CHANNEL_LOOSE};
    return (struct channel_key){0};
}
