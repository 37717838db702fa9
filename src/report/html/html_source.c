/* The lines of source that a page shows: read from the files that locations name, if they are there.
 *
 * A trace may come from anywhere, and a report goes to anybody, so a trace must not be able to draw other files
 * into a report: only regular files are read whose names end as those of sources do, and which lie, once all links
 * are resolved, below a folder that the user named, or the current one or that of the program. */
#include "base/memory.h"
#include "report/html/html_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    AROUND = 5,          /* lines shown before and after */
    FILE_MOST = 8 << 20, /* bytes of a file that is read */
    LINE_MOST = 400,     /* bytes of a line that are shown */
    LINES_MOST = 60000,  /* of all files together */
    FILES_MOST = 2000,   /* files that are looked for */
    FOLDERS_MOST = 8,
    ROOTS_MOST = 16
};

struct source_file {
    char *name; /* as locations have it */
    uint32_t *lines;
    size_t lines_count, lines_capacity;
};

struct source_index {
    struct names names;
    struct source_file *files; /* by the id of the name */
    size_t files_count, files_capacity;
    char *folders[FOLDERS_MOST]; /* where relative names may start from */
    size_t folder_count;
    char *roots[ROOTS_MOST]; /* real paths of folders: only what is below is read */
    size_t root_count;
    time_t traced; /* when the trace was written; 0: not known */
    size_t lines_left;
};

/* The language of a source file by its name, NULL for other files. */
static const char *language_of(const char *name)
{
    static const char *const languages[][2] = {
        {".c", "c"},     {".h", "cpp"},   {".cc", "cpp"},    {".cpp", "cpp"}, {".cxx", "cpp"},
        {".c++", "cpp"}, {".hh", "cpp"},  {".hpp", "cpp"},   {".hxx", "cpp"}, {".inl", "cpp"},
        {".ipp", "cpp"}, {".tpp", "cpp"}, {".java", "java"},
    };
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof languages / sizeof *languages; i++)
        if (strcmp(dot, languages[i][0]) == 0)
            return languages[i][1];
    return NULL;
}

static void add_folder(struct source_index *index, char *folder)
{
    if (folder && index->folder_count < FOLDERS_MOST)
        index->folders[index->folder_count++] = folder;
    else
        free(folder);
}

/* The folder of the file, if its path has one. */
static char *folder_of(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? memory_text(path, length) : NULL;
}

/* A folder that source may come from; the root of the file system only if the user names it. */
static void add_root(struct source_index *index, const char *folder, bool named)
{
    char *real = folder ? realpath(folder, NULL) : NULL;

    if (real && (named || strcmp(real, "/") != 0) && index->root_count < ROOTS_MOST)
        index->roots[index->root_count++] = real;
    else
        free(real);
}

static void find_roots(struct source_index *index, const struct report_options *options, const char *program)
{
    char *folder;

    if (options->source_named) {
        add_root(index, options->source_root, true);
        for (char *const *root = options->more_roots; root && *root; root++)
            add_root(index, *root, true);
        return;
    }
    add_root(index, ".", true);
    folder = program ? folder_of(program, strcspn(program, " ")) : NULL;
    add_root(index, folder, false);
    free(folder);
}

struct source_index *source_index_new(const struct page *p)
{
    static const char *const usual[] = {"", "src/", "src/main/java/", "src/test/java/"};
    struct source_index *index = memory_new(1, sizeof *index);
    const char *program = p->n.trace->origin.program;
    const char *path = p->options->trace_path;
    struct stat info;

    names_init(&index->names);
    index->lines_left = LINES_MOST;
    find_roots(index, p->options, program);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        add_folder(index, memory_text(usual[i], strlen(usual[i])));
    if (program)
        add_folder(index, folder_of(program, strcspn(program, " ")));
    if (path) {
        add_folder(index, folder_of(path, strlen(path)));
        if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
            index->traced = info.st_mtime;
    }
    return index;
}

void source_index_free(struct source_index *index)
{
    for (size_t i = 0; i < index->files_count; i++) {
        free(index->files[i].name);
        free(index->files[i].lines);
    }
    for (size_t i = 0; i < index->folder_count; i++)
        free(index->folders[i]);
    for (size_t i = 0; i < index->root_count; i++)
        free(index->roots[i]);
    free(index->files);
    names_free(&index->names);
    free(index);
}

uint32_t source_index_add(struct source_index *index, const struct source *line)
{
    uint32_t id = names_add(&index->names, line->file, line->file_length);

    if (id == index->files_count)
        ARRAY_PUSH(index, files, (struct source_file){.name = memory_text(line->file, line->file_length)});
    ARRAY_PUSH(&index->files[id], lines, line->line);
    return id;
}

/* Whether the real path lies below a folder that source may come from. */
static bool is_allowed(const struct source_index *index, const char *real)
{
    for (size_t i = 0; i < index->root_count; i++) {
        size_t length = strlen(index->roots[i]);
        if (strncmp(real, index->roots[i], length) == 0 &&
            (real[length] == '/' || index->roots[i][length - 1] == '/'))
            return true;
    }
    return false;
}

/* The text of a regular file of bearable size, ended by NUL; NULL if it is none, or `*outside`. */
static char *read_file(const struct source_index *index, const char *path, size_t *length, time_t *changed,
                       bool *outside)
{
    char *real = realpath(path, NULL), *text = NULL;
    struct stat info;
    int file = -1;

    if (real && is_allowed(index, real))
        file = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    else
        *outside |= real != NULL;
    free(real);
    if (file < 0)
        return NULL;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= FILE_MOST) {
        ssize_t got = 1;
        text = memory_new((size_t)info.st_size + 1, 1);
        for (*length = 0; got > 0 && *length<(size_t)info.st_size; *length += got> 0 ? (size_t)got : 0)
            got = read(file, text + *length, (size_t)info.st_size - *length);
        *changed = info.st_mtime;
    }
    close(file);
    return text;
}

static char *find_file(const struct source_index *index, const char *name, size_t *length, time_t *changed,
                       bool *outside)
{
    char *text = NULL;

    if (name[0] == '/')
        return read_file(index, name, length, changed, outside);
    for (size_t i = 0; i < index->folder_count && !text; i++) {
        struct buffer path = {0};
        buffer_text(&path, index->folders[i]);
        buffer_bytes(&path, name, strlen(name) + 1);
        text = read_file(index, path.text, length, changed, outside);
        buffer_free(&path);
    }
    return text;
}

static int compare_lines(const void *left, const void *right)
{
    const uint32_t *a = left;
    const uint32_t *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* One line, what cannot be seen made visible. */
static void put_line(struct page *p, const char *line, size_t length)
{
    char *copy = memory_text(line, length < LINE_MOST ? length : LINE_MOST);
    size_t from = p->n.out.text_count;

    buffer_revealed(&p->n.out, copy);
    free(copy);
    page_said(p, NULL, from);
}

/* Stretches of lines: [first, line, line, …]. Lines are taken in ascending order, each once. */
static void put_lines(struct source_index *index, struct page *p, struct source_file *file, const char *text,
                      size_t length)
{
    const char *at = text;
    const char *end = text + length;
    uint32_t number = 1;
    uint32_t written = 0; /* the last line that was */

    qsort(file->lines, file->lines_count, sizeof *file->lines, compare_lines);
    for (size_t i = 0; i < file->lines_count && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t width = (size_t)((stop ? stop : end) - at);
        uint32_t wanted = file->lines[i];

        if (number + AROUND >= wanted && index->lines_left > 0) {
            if (written > 0 && written + 1 < number)
                json_close(&p->out);
            if (written == 0 || written + 1 < number) {
                json_array_open(&p->out, NULL);
                json_count(&p->out, NULL, number);
            }
            put_line(p, at, width > 0 && at[width - 1] == '\r' ? width - 1 : width);
            written = number;
            index->lines_left--;
        }
        while (i < file->lines_count && number >= file->lines[i] + AROUND)
            i++;
        at += width + 1;
        number++;
    }
    if (written > 0)
        json_close(&p->out);
}

static void put_file(struct source_index *index, struct page *p, struct source_file *file, bool look)
{
    const char *language = language_of(file->name);
    size_t length = 0;
    time_t changed = 0;
    bool outside = false;
    char *text = language && look ? find_file(index, file->name, &length, &changed, &outside) : NULL;

    json_object_open(&p->out, NULL);
    page_text(p, "name", file->name);
    if (text) {
        page_text(p, "language", language);
        if (index->traced && changed > index->traced)
            json_flag(&p->out, "newer", true);
        json_array_open(&p->out, "lines");
        put_lines(index, p, file, text, length);
        json_close(&p->out);
    } else if (outside) {
        /* Nobody wants to allow the system's headers. */
        struct source about = {.file = file->name, .file_length = strlen(file->name), .function = ""};
        json_flag(&p->out, "outside", true);
        if (p->options->left_out && !source_is_library(&about))
            ++*p->options->left_out;
    }
    json_close(&p->out);
    free(text);
}

void source_index_write(struct source_index *index, struct page *p)
{
    json_line(&p->out, 0);
    json_array_open(&p->out, "sources");
    for (size_t i = 0; i < index->files_count; i++) {
        if (i > 0)
            json_line(&p->out, 0);
        put_file(index, p, &index->files[i], i < FILES_MOST);
    }
    json_close(&p->out);
}
