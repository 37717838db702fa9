/* What a native file says of its events, without reading them. */
#include "trace/htr_parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t load(const unsigned char *from, int bytes)
{
    uint64_t number = 0;

    for (int i = bytes; i-- > 0;)
        number = number << 8 | from[i];
    return number;
}

/* Every header says how many events come before its block. */
static uint64_t count_blocks(FILE *in)
{
    unsigned char header[HTR_BLOCK_HEADER_SIZE];
    uint64_t events = 0;

    while (fread(header, sizeof header, 1, in) == 1) {
        events = load(header + 16, 8);
        if (load(header, 4) == HTR_END || fseeko(in, (off_t)load(header + 8, 4), SEEK_CUR) != 0)
            break;
    }
    return events;
}

/* The file behind its header, which is read; NULL: it is no native file. */
static FILE *open_native(const char *path, unsigned char *header)
{
    struct stat st;
    FILE *in = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;

    if (in && fread(header, HTR_HEADER_SIZE, 1, in) == 1 && memcmp(header, HTR_MAGIC, HTR_MAGIC_SIZE) == 0)
        return in;
    if (in)
        fclose(in);
    return NULL;
}

uint64_t htr_count(const char *path)
{
    unsigned char header[HTR_HEADER_SIZE];
    FILE *in = open_native(path, header);
    uint64_t events = in ? count_blocks(in) : 0;

    if (in)
        fclose(in);
    return events;
}

bool htr_has_grounds(const char *path)
{
    unsigned char header[HTR_HEADER_SIZE];
    FILE *in = open_native(path, header);
    unsigned features = 0;

    if (!in)
        return false;
    htr_features_told((unsigned)load(header + 12, 4), &features);
    fclose(in);
    return features & HTR_GROUNDS;
}
