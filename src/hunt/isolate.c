/* Runs kept apart: a copy of a folder to work in, a folder for temporary files, a network of their own. */
#include "hunt/isolate.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *path_in(const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = memory_new(room, 1);

    snprintf(path, room, "%s/%s", folder, name);
    return path;
}

static bool is_itself_or_parent(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static enum status copy_file(const char *from, const char *to, const struct stat *about, struct error *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC),
        out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, about->st_mode & 07777);
    ssize_t done = out < 0 ? -1 : 1;

    while (done > 0)
        done = sendfile(out, in, NULL, 1 << 30);
    if (done < 0)
        fail(err, HEDDLE_IO, "cannot copy %s: %s", from, strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return done < 0 ? err->status : HEDDLE_OK;
}

static enum status copy_link(const char *from, const char *to, struct error *err)
{
    char target[4096];
    ssize_t length = readlink(from, target, sizeof target - 1);

    if (length < 0)
        return fail(err, HEDDLE_IO, "%s: %s", from, strerror(errno));
    target[length] = '\0';
    return symlink(target, to) == 0 ? HEDDLE_OK : fail(err, HEDDLE_IO, "%s: %s", to, strerror(errno));
}

static enum status copy_folder(const char *from, const char *to, const struct stat *but, struct error *err);

/* Sockets and devices are left out: no run could use them alone. */
static enum status copy_entry(const char *from, const char *to, const struct stat *but, struct error *err)
{
    struct stat about;

    if (lstat(from, &about) != 0)
        return fail(err, HEDDLE_IO, "%s: %s", from, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return about.st_dev == but->st_dev && about.st_ino == but->st_ino ? HEDDLE_OK
                                                                          : copy_folder(from, to, but, err);
    if (S_ISREG(about.st_mode))
        return copy_file(from, to, &about, err);
    if (S_ISLNK(about.st_mode))
        return copy_link(from, to, err);
    if (S_ISFIFO(about.st_mode) && mkfifo(to, about.st_mode & 07777) != 0)
        return fail(err, HEDDLE_IO, "%s: %s", to, strerror(errno));
    return HEDDLE_OK;
}

static enum status copy_folder(const char *from, const char *to, const struct stat *but, struct error *err)
{
    DIR *list = opendir(from);
    enum status status = HEDDLE_OK;
    const struct dirent *entry;

    if (!list)
        return fail(err, HEDDLE_IO, "%s: %s", from, strerror(errno));
    if (mkdir(to, 0777) != 0)
        status = fail(err, HEDDLE_IO, "%s: %s", to, strerror(errno));
    while (status == HEDDLE_OK && (entry = readdir(list))) {
        if (is_itself_or_parent(entry->d_name))
            continue;
        char *source = path_in(from, entry->d_name), *target = path_in(to, entry->d_name);
        status = copy_entry(source, target, but, err);
        free(source);
        free(target);
    }
    closedir(list);
    return status;
}

enum status isolate_copy(const char *from, const char *to, const char *but, struct error *err)
{
    struct stat left_out = {0};

    if (but && stat(but, &left_out) != 0)
        memset(&left_out, 0, sizeof left_out);
    return copy_folder(from, to, &left_out, err);
}

void isolate_remove(const char *path)
{
    DIR *list = opendir(path);
    const struct dirent *entry;

    while (list && (entry = readdir(list))) {
        if (is_itself_or_parent(entry->d_name))
            continue;
        char *inner = path_in(path, entry->d_name);
        struct stat about;
        if (lstat(inner, &about) == 0 && S_ISDIR(about.st_mode))
            isolate_remove(inner);
        else
            unlink(inner);
        free(inner);
    }
    if (list)
        closedir(list);
    rmdir(path);
}

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (write(fd, text, strlen(text)) < 0) {
        /* harmless: the run then sees other user ids */
    }
    close(fd);
}

/* In a new user namespace: maps our own ids to themselves. */
static void map_ids(uid_t user, gid_t group)
{
    char line[64];

    write_text("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1\n", user, user);
    write_text("/proc/self/uid_map", line);
    snprintf(line, sizeof line, "%u %u 1\n", group, group);
    write_text("/proc/self/gid_map", line);
}

static bool loopback_up(void)
{
    struct ifreq request = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool up = fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &request) == 0;

    request.ifr_flags |= IFF_UP;
    up = up && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    if (fd >= 0)
        close(fd);
    return up;
}

enum status isolate_network(struct error *err)
{
    uid_t user = geteuid();
    gid_t group = getegid();

    if (unshare(CLONE_NEWNET) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
            return fail(err, HEDDLE_UNSUPPORTED, "this system cannot give a run its own network: %s",
                        strerror(errno));
        map_ids(user, group);
    }
    return loopback_up() ? HEDDLE_OK
                         : fail(err, HEDDLE_UNSUPPORTED, "a run's own network has no loopback device: %s",
                                strerror(errno));
}

enum status isolate_network_allowed(struct error *err)
{
    int ends[2], status = 1;
    pid_t pid;

    err->text[0] = '\0';
    if (pipe(ends) != 0)
        return fail(err, HEDDLE_IO, "cannot create a pipe: %s", strerror(errno));
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        bool allowed = isolate_network(err) == HEDDLE_OK;
        if (!allowed && write(ends[1], err->text, strlen(err->text)) < 0)
            _exit(2);
        _exit(allowed ? 0 : 1);
    }
    close(ends[1]);
    if (pid > 0) {
        char text[400] = "";
        ssize_t length = read(ends[0], text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (status != 0)
            fail(err, HEDDLE_UNSUPPORTED, "%s", *text ? text : "this system gives a run no network of its own");
    } else {
        fail(err, HEDDLE_IO, "cannot fork: %s", strerror(errno));
    }
    close(ends[0]);
    return status == 0 ? HEDDLE_OK : err->status;
}
