/* expect: race=no nondet=no deadlock=no */
/* Library functions write what they write and not a byte more: another thread owns what lies right behind. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
    signed char tiny;
    char behind_tiny[3];
    short small;
    char behind_small[2];
    char text[3];
    char behind_text[5];
    char part[4];
    char behind_part[28];
} all;

static void *behind(void *unused)
{
    for (int i = 0; i < 20; i++) {
        memset(all.behind_tiny, i, sizeof all.behind_tiny);
        memset(all.behind_small, i, sizeof all.behind_small);
        memset(all.behind_text, i, sizeof all.behind_text);
        memset(all.behind_part, i, sizeof all.behind_part);
    }
    return unused;
}

static void count_characters(void)
{
    char out[16];

    assert(sprintf(out, "abc%hhn", &all.tiny) == 3 && all.tiny == 3);
    assert(sprintf(out, "abcd%hn", &all.small) == 4 && all.small == 4);
}

static void scan(void)
{
    FILE *stream = tmpfile();
    int number;

    assert(sscanf("abc", "%5c", all.text) == 1 && all.text[2] == 'c');
    assert(stream && fputs("12 xyz", stream) >= 0);
    rewind(stream);
    assert(fscanf(stream, "%d %5c", &number, all.text) == 2 && number == 12 && all.text[0] == 'x');
    fclose(stream);
}

static void receive(void)
{
    struct iovec parts = {all.part, sizeof all.part};
    struct msghdr message = {.msg_iov = &parts, .msg_iovlen = 1};
    int ends[2];

    assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
    for (int i = 0; i < 3; i++)
        assert(write(ends[1], "0123456789abcdef", 16) == 16);
    assert(recv(ends[0], all.part, sizeof all.part, MSG_TRUNC) == 16);
    assert(recvfrom(ends[0], all.part, sizeof all.part, MSG_TRUNC, NULL, NULL) == 16);
    assert(recvmsg(ends[0], &message, MSG_TRUNC) == 16);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, behind, NULL);
    for (int i = 0; i < 2; i++) {
        count_characters();
        scan();
        receive();
    }
    pthread_join(thread, NULL);
    return 0;
}
