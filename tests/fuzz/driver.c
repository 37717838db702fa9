/* Runs a fuzz target without libFuzzer: every file of the corpus, then a burst of mutations of them.
 *
 * usage: fuzz_NAME CORPUS [MUTATIONS | SECONDSs [SEED]]. A burst that is bounded by a count is the same everywhere; one that
 * is bounded by time says how far it got, and its seed and that count repeat it.
 * The input being tried lies in a file; after a crash its path and the seed are on standard error. */
#include "base/memory.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { LONGEST = 1 << 16 };

struct sample {
    unsigned char *bytes;
    size_t count;
};

struct corpus {
    struct sample *samples;
    size_t samples_count, samples_capacity;
};

static uint64_t seed = 1;
static unsigned char trying[LONGEST];
static size_t trying_count;
static char crasher[64];

static uint32_t draw(uint32_t bound)
{
    assert(bound > 0);
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % bound;
}

/* Only calls that a signal handler may make. */
static void keep_crasher(void)
{
    static const char note[] = "\nfuzz: the input that failed is in ";
    int file = open(crasher, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (file >= 0 && write(file, trying, trying_count) >= 0 && write(2, note, sizeof note - 1) > 0 &&
        write(2, crasher, strlen(crasher)) > 0 && write(2, "\n", 1) > 0)
        close(file);
}

static void on_signal(int number)
{
    keep_crasher();
    signal(number, SIG_DFL);
    raise(number);
}

/* There in sanitized builds only: called before the process dies of a finding. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch_for_crashes(void)
{
    snprintf(crasher, sizeof crasher, "/tmp/heddle-crash-%ld", (long)getpid());
    signal(SIGABRT, on_signal);
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(keep_crasher);
        return;
    }
    signal(SIGSEGV, on_signal);
    signal(SIGBUS, on_signal);
    signal(SIGFPE, on_signal);
    signal(SIGILL, on_signal);
}

static void try_sample(const unsigned char *bytes, size_t count)
{
    trying_count = count < LONGEST ? count : LONGEST;
    if (trying_count)
        memmove(trying, bytes, trying_count);

    /* A copy of its own size: AddressSanitizer sees a read past its end. */
    unsigned char *copy = memory_new(trying_count, 1);
    memcpy(copy, trying, trying_count);
    LLVMFuzzerTestOneInput(copy, trying_count);
    free(copy);
}

static void load_sample(struct corpus *corpus, const char *folder, const char *name)
{
    char path[1024];
    struct stat about;
    struct sample sample = {0};

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &about) != 0) {
        fprintf(stderr, "fuzz: %s cannot be read\n", path);
        exit(1);
    }
    sample.bytes = memory_new((size_t)about.st_size, 1);
    sample.count = fread(sample.bytes, 1, (size_t)about.st_size, file);
    fclose(file);
    ARRAY_PUSH(corpus, samples, sample);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* In the order of their names, so that a seed means the same on every machine. */
static void load_corpus(struct corpus *corpus, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, not_hidden, alphasort);

    for (int i = 0; i < count; i++) {
        load_sample(corpus, folder, entries[i]->d_name);
        free(entries[i]);
    }
    if (count <= 0) {
        fprintf(stderr, "fuzz: no corpus in %s\n", folder);
        exit(1);
    }
    free(entries);
}

/* One small change: a bit, a byte, a piece taken out, doubled, or brought in from another sample. */
static size_t mutate(unsigned char *bytes, size_t count, const struct sample *other)
{
    size_t at = count ? draw((uint32_t)count) : 0, piece = 1 + draw(8);

    switch (draw(5)) {
    case 0:
        if (count)
            bytes[at] ^= (unsigned char)(1 << draw(8));
        return count;
    case 1:
        if (count)
            bytes[at] =
                (unsigned char)(draw(2) ? draw(256)
                                        : (uint32_t[]){0, 1, 0x7f, 0x80, 0xff, '|', '\n', '='}[draw(8)]);
        return count;
    case 2:
        if (at + piece >= count)
            return count;
        memmove(bytes + at, bytes + at + piece, count - at - piece);
        return count - piece;
    case 3:
        if (at + piece > count || count + piece > LONGEST)
            return count;
        memmove(bytes + at + piece, bytes + at, count - at);
        return count + piece;
    default:
        if (other->count < 8 || at + 8 > count)
            return count;
        memcpy(bytes + at, other->bytes + draw((uint32_t)other->count - 7), 8);
        return count;
    }
}

/* How long the burst lasts: so many mutations, or until a time. */
struct burst {
    unsigned mutations;
    time_t end; /* 0: none */
};

static struct burst burst_of(const char *text)
{
    char *unit;
    struct burst burst = {.mutations = (unsigned)strtoul(text, &unit, 10)};

    if (*unit == 's')
        burst = (struct burst){.mutations = UINT32_MAX, .end = time(NULL) + burst.mutations};
    return burst;
}

static void mutate_samples(const struct corpus *corpus, struct burst burst)
{
    static unsigned char bytes[LONGEST];
    unsigned done = 0;

    for (; done < burst.mutations && (!burst.end || time(NULL) < burst.end); done++) {
        const struct sample *from = &corpus->samples[draw((uint32_t)corpus->samples_count)];
        size_t count = from->count < LONGEST ? from->count : LONGEST;
        memcpy(bytes, from->bytes, count);
        for (uint32_t changes = 1 + draw(6); changes > 0; changes--)
            count = mutate(bytes, count, &corpus->samples[draw((uint32_t)corpus->samples_count)]);
        try_sample(bytes, count);
    }
    printf("fuzz: %u mutations\n", done);
}

int main(int argc, char **argv)
{
    struct corpus corpus = {0};

    if (argc < 2) {
        fprintf(stderr, "usage: fuzz_NAME CORPUS [MUTATIONS | SECONDSs [SEED]]\n");
        return 1;
    }
    seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    printf("fuzz: %s, seed %llu\n", argv[1], (unsigned long long)seed);
    fflush(stdout);
    watch_for_crashes();
    load_corpus(&corpus, argv[1]);
    for (size_t i = 0; i < corpus.samples_count; i++)
        try_sample(corpus.samples[i].bytes, corpus.samples[i].count);
    mutate_samples(&corpus, burst_of(argc > 2 ? argv[2] : "2000"));
    for (size_t i = 0; i < corpus.samples_count; i++)
        free(corpus.samples[i].bytes);
    free(corpus.samples);
    return 0;
}
