/* Rewrites class files without a virtual machine: from one folder into another, for tests.
 *
 * usage: heddle-rewrite [--grounds | --gates | --explore] FROM TO. Walks FROM, rewrites every class file in it, the JDK's
 * too, into TO under the same name, and tells how many were rewritten, had nothing to rewrite, were left alone.
 * What was rewritten is read again. With --grounds methods tell what events stand on, too; with --gates it rewrites as for a machine that follows a script, with
 * --explore as for one that is explored. */
#include "classfile.h"
#include "code.h"
#include "rewrite.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

static const struct pattern everything = {"*", true};
static struct rewriter rewriter = {
    .patterns = &everything, .patterns_count = 1, .next_site = 1, .next_class = 1};
static const char *from, *to;
static unsigned long counts[3], broken;

static bool read_whole(const char *path, struct bytes *into)
{
    FILE *file = fopen(path, "rb");
    uint8_t part[65536];
    size_t got;

    if (!file)
        return false;
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        put_span(into, part, got);
    fclose(file);
    return true;
}

static bool write_whole(const char *path, const struct bytes *content)
{
    char folder[8192];
    FILE *file;
    bool good;

    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0777);
        *slash = '/';
    }
    file = fopen(path, "wb");
    if (!file)
        return false;
    good = fwrite(content->data, 1, content->data_count, file) == content->data_count;
    return fclose(file) == 0 && good;
}

/* Whether what we wrote can be read: all instructions of all methods. */
static bool is_whole(const struct bytes *out)
{
    struct class_file class;
    struct attribute attribute;
    struct code code;
    const char *why;
    bool good = class_read(&class, (struct span){out->data, out->data_count}, &why);

    for (size_t i = 0; good && i < class.methods_count; i++) {
        if (!find_attribute(&class.pool, &class.methods[i], "Code", &attribute))
            continue;
        good = code_read(&code, attribute.content);
        for (size_t at = 0; good && at < code.bytes.count;) {
            size_t length = instruction_length(code.bytes, at);
            good = length > 0;
            at += length;
        }
    }
    class_free(&class);
    return good;
}

static int visit(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    struct bytes in = {0}, out = {0}, names = {0};
    size_t length = strlen(path);
    char target[8192];
    enum rewrite_result result;

    (void)about;
    (void)walk;
    if (kind != FTW_F || length < 6 || strcmp(path + length - 6, ".class") != 0)
        return 0;
    if (read_whole(path, &in)) {
        result = rewrite_class(&rewriter, (struct span){in.data, in.data_count}, &out, &names);
        counts[result]++;
        if (result == REWRITE_LEFT)
            printf("left alone: %s\n", path);
        snprintf(target, sizeof target, "%s%s", to, path + strlen(from));
        if (result == REWRITE_DONE && !is_whole(&out)) {
            printf("broken: %s\n", path);
            broken++;
        }
        if (!write_whole(target, result == REWRITE_DONE ? &out : &in)) {
            fprintf(stderr, "%s cannot be written\n", target);
            broken++;
        }
    }
    bytes_free(&in);
    bytes_free(&out);
    bytes_free(&names);
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc == 4 ? argv[1] : "";

    rewriter.grounds = strcmp(how, "--grounds") == 0;
    rewriter.explores = strcmp(how, "--explore") == 0;
    rewriter.gates = rewriter.explores || strcmp(how, "--gates") == 0;
    if (argc != 3 + (rewriter.gates || rewriter.grounds)) {
        fprintf(stderr, "usage: heddle-rewrite [--grounds | --gates | --explore] FROM TO\n");
        return 1;
    }
    argv += argc - 3;
    from = argv[1];
    to = argv[2];
    if (nftw(from, visit, 32, FTW_PHYS) != 0) {
        fprintf(stderr, "%s cannot be read\n", from);
        return 1;
    }
    printf("%lu rewritten, %lu with nothing to rewrite, %lu left alone, %u methods left alone, %u sites\n",
           counts[REWRITE_DONE], counts[REWRITE_NOTHING], counts[REWRITE_LEFT], rewriter.left,
           rewriter.next_site - 1);
    return broken != 0;
}
