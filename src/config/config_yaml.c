/* Reads `.heddle.yaml`: the language by libyaml, its meaning here. */
#include "base/buffer.h"
#include "base/memory.h"
#include "config/config.h"
#include "finding/property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct config_reading {
    struct config *to;
    yaml_document_t document;
    struct error *err;
};

static size_t node_line(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

static enum status wrong(struct config_reading *r, const yaml_node_t *node, const char *what, const char *which)
{
    return fail(r->err, HEDDLE_BAD_USAGE, "%.200s:%zu: %.100s%s", r->to->path, node_line(node), which, what);
}

static const char *text_of(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

/* A text without NUL that is not empty. */
static enum status get_text(struct config_reading *r, const char *key, const yaml_node_t *node,
                            const char **text)
{
    *text = "";
    if (node->type != YAML_SCALAR_NODE)
        return wrong(r, node, ": expected a text", key);
    *text = text_of(node);
    if (strlen(*text) != node->data.scalar.length)
        return wrong(r, node, " has a NUL character", key);
    return **text ? HEDDLE_OK : wrong(r, node, " has no value", key);
}

/* One text or a list of them. */
static enum status get_names(struct config_reading *r, const char *key, yaml_node_t *node,
                             struct config_names *to)
{
    const yaml_node_item_t *items = node->data.sequence.items.start, *end = node->data.sequence.items.top;
    bool list = node->type == YAML_SEQUENCE_NODE;
    const char *text;

    for (ptrdiff_t i = 0; i < (list ? end - items : 1); i++) {
        yaml_node_t *item = list ? yaml_document_get_node(&r->document, items[i]) : node;
        if (get_text(r, key, item, &text) != HEDDLE_OK)
            return r->err->status;
        ARRAY_PUSH(to, names, memory_text(text, strlen(text)));
    }
    ARRAY_PUSH(to, names, NULL); /* ends the list, and is not counted */
    to->names_count--;
    return HEDDLE_OK;
}

/* The same, as options take it: separated by commas. */
static enum status get_list(struct config_reading *r, const char *key, yaml_node_t *node, char **to)
{
    struct config_names list = {0};
    struct buffer text = {0};
    enum status status = get_names(r, key, node, &list);

    for (size_t i = 0; i < list.names_count; i++) {
        buffer_text(&text, i > 0 ? "," : "");
        buffer_text(&text, list.names[i]);
        free(list.names[i]);
    }
    free(list.names);
    *to = status == HEDDLE_OK && text.text_count > 0 ? memory_text(text.text, text.text_count) : NULL;
    buffer_free(&text);
    return status;
}

static enum status get_fail_on(struct config_reading *r, const char *key, yaml_node_t *node)
{
    bool chosen[PROPERTIES];
    enum status status = get_list(r, key, node, &r->to->fail_on);

    for (const char *at = r->to->fail_on; status == HEDDLE_OK && at && *at;) {
        size_t length = strcspn(at, ",");
        bool problems = length == strlen("problems") && strncmp(at, "problems", length) == 0;
        if (!problems && !property_choose(at, length, chosen))
            status = fail(r->err, HEDDLE_BAD_USAGE, "%.200s:%zu: fail-on: unknown name %.*s", r->to->path,
                          node_line(node), (int)(length < 100 ? length : 100), at);
        at += length + (at[length] == ',');
    }
    return status;
}

/* Folders are relative to that of the file. */
static enum status get_source_roots(struct config_reading *r, const char *key, yaml_node_t *node)
{
    struct config_names *roots = &r->to->source_roots;
    const char *slash = strrchr(r->to->path, '/');
    enum status status = get_names(r, key, node, roots);

    for (size_t i = 0; i < roots->names_count && slash; i++)
        if (roots->names[i][0] != '/') {
            struct buffer whole = {0};
            buffer_bytes(&whole, r->to->path, (size_t)(slash + 1 - r->to->path));
            buffer_text(&whole, roots->names[i]);
            free(roots->names[i]);
            roots->names[i] = memory_text(whole.text, whole.text_count);
            buffer_free(&whole);
        }
    return status;
}

/* One entry: a mapping of conditions, each with a value or a list of them, and the reason. */
static enum status get_suppression(struct config_reading *r, yaml_node_t *node, struct suppression *entry)
{
    const char *reason = "", *key, *value;

    if (node->type != YAML_MAPPING_NODE)
        return wrong(r, node, "suppressions: expected conditions and a reason", "");
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        yaml_node_t *content = yaml_document_get_node(&r->document, p->value);
        struct config_names values = {0};
        enum status status = get_text(r, "suppressions", yaml_document_get_node(&r->document, p->key), &key);

        if (status == HEDDLE_OK && strcmp(key, "reason") == 0) {
            status = get_text(r, key, content, &value);
            reason = status == HEDDLE_OK ? value : reason;
        } else if (status == HEDDLE_OK) {
            status = get_names(r, key, content, &values);
            for (size_t i = 0; i < values.names_count && status == HEDDLE_OK; i++)
                status = suppression_condition(entry, r->to->path, key, strlen(key), values.names[i], r->err);
        }
        for (size_t i = 0; i < values.names_count; i++)
            free(values.names[i]);
        free(values.names);
        if (status != HEDDLE_OK)
            return status;
    }
    return suppression_end(&r->to->suppressions, entry, r->to->path, reason, strlen(reason), r->err);
}

static enum status get_suppressions(struct config_reading *r, const char *key, yaml_node_t *node)
{
    enum status status = HEDDLE_OK;

    if (node->type != YAML_SEQUENCE_NODE)
        return wrong(r, node, ": expected a list", key);
    for (yaml_node_item_t *i = node->data.sequence.items.start;
         i < node->data.sequence.items.top && status == HEDDLE_OK; i++) {
        yaml_node_t *item = yaml_document_get_node(&r->document, *i);
        struct suppression entry = {.line = node_line(item)};
        status = get_suppression(r, item, &entry);
        if (status != HEDDLE_OK)
            suppression_free(&entry);
    }
    return status;
}

/* Patterns of files become one suppression. A relative one also matches below any folder. */
static enum status get_files(struct config_reading *r, const char *key, yaml_node_t *node,
                             struct config_names *to, const char *condition, const char *reason)
{
    struct suppression entry = {.line = node_line(node), .general = true};
    enum status status = get_names(r, key, node, to);
    struct buffer below = {0};

    for (size_t i = 0; i < to->names_count && status == HEDDLE_OK; i++) {
        status = suppression_condition(&entry, r->to->path, condition, strlen(condition), to->names[i], r->err);
        if (status != HEDDLE_OK || to->names[i][0] == '/')
            continue;
        below.text_count = 0;
        buffer_text(&below, "*/");
        buffer_bytes(&below, to->names[i], strlen(to->names[i]) + 1);
        status = suppression_condition(&entry, r->to->path, condition, strlen(condition), below.text, r->err);
    }
    buffer_free(&below);
    if (status == HEDDLE_OK && entry.conditions_count > 0)
        return suppression_end(&r->to->files, &entry, r->to->path, reason, strlen(reason), r->err);
    suppression_free(&entry);
    return status;
}

static enum status get_ignore(struct config_reading *r, const char *key, yaml_node_t *node)
{
    return get_files(r, key, node, &r->to->ignore, "only-file", "all of its places are in files to ignore");
}

static enum status get_include(struct config_reading *r, const char *key, yaml_node_t *node)
{
    return get_files(r, key, node, &r->to->include, "no-file", "none of its places is in a file to include");
}

static enum status get_atomic(struct config_reading *r, const char *key, yaml_node_t *node)
{
    return get_names(r, key, node, &r->to->atomic);
}

static enum status get_deterministic(struct config_reading *r, const char *key, yaml_node_t *node)
{
    return get_names(r, key, node, &r->to->deterministic);
}

static enum status get_java_include(struct config_reading *r, const char *key, yaml_node_t *node)
{
    return get_list(r, key, node, &r->to->java_include);
}

static enum status get_java_exclude(struct config_reading *r, const char *key, yaml_node_t *node)
{
    return get_list(r, key, node, &r->to->java_exclude);
}

static enum status get_java(struct config_reading *r, const char *key, yaml_node_t *node);

struct config_key {
    const char *name;
    enum status (*get)(struct config_reading *r, const char *key, yaml_node_t *node);
};

static const struct config_key keys[] = {{"fail-on", get_fail_on},
                                         {"source-roots", get_source_roots},
                                         {"suppressions", get_suppressions},
                                         {"ignore", get_ignore},
                                         {"include", get_include},
                                         {"atomic", get_atomic},
                                         {"deterministic", get_deterministic},
                                         {"java", get_java},
                                         {0}};
static const struct config_key java_keys[] = {
    {"include", get_java_include}, {"exclude", get_java_exclude}, {0}};

static enum status unknown_key(struct config_reading *r, const yaml_node_t *node,
                               const struct config_key *known)
{
    struct buffer list = {0};
    enum status status;

    for (const struct config_key *k = known; k->name; k++)
        buffer_format(&list, "%s%s", k == known ? "" : !k[1].name ? " or " : ", ", k->name);
    status = fail(r->err, HEDDLE_BAD_USAGE, "%.200s:%zu: unknown key %.100s: expected %.*s", r->to->path,
                  node_line(node), text_of(node), (int)list.text_count, list.text);
    buffer_free(&list);
    return status;
}

static enum status get_mapping(struct config_reading *r, yaml_node_t *node, const struct config_key *known)
{
    enum status status = HEDDLE_OK;
    unsigned seen = 0;

    if (node->type != YAML_MAPPING_NODE)
        return wrong(r, node, "expected `key: value` lines", "");
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start;
         p < node->data.mapping.pairs.top && status == HEDDLE_OK; p++) {
        yaml_node_t *name = yaml_document_get_node(&r->document, p->key);
        const struct config_key *k = known;
        const char *text;

        status = get_text(r, "key", name, &text);
        if (status != HEDDLE_OK)
            break;
        while (k->name && strcmp(k->name, text) != 0)
            k++;
        if (!k->name)
            return unknown_key(r, name, known);
        if (seen & 1u << (k - known))
            return wrong(r, name, " appears twice", text);
        seen |= 1u << (k - known);
        status = k->get(r, k->name, yaml_document_get_node(&r->document, p->value));
    }
    return status;
}

static enum status get_java(struct config_reading *r, const char *key, yaml_node_t *node)
{
    (void)key;
    return get_mapping(r, node, java_keys);
}

/* The first document of the text; there may be no second one. */
static enum status get_documents(struct config_reading *r, yaml_parser_t *parser)
{
    enum status status = HEDDLE_OK;
    yaml_document_t second;
    yaml_node_t *root;

    if (!yaml_parser_load(parser, &r->document))
        return fail(r->err, HEDDLE_BAD_USAGE, "%.200s:%zu: this is not YAML: %s", r->to->path,
                    parser->problem_mark.line + 1, parser->problem ? parser->problem : "out of memory");
    root = yaml_document_get_root_node(&r->document);
    if (root)
        status = get_mapping(r, root, keys);
    yaml_document_delete(&r->document);
    if (status != HEDDLE_OK || !root)
        return status;
    if (!yaml_parser_load(parser, &second))
        return fail(r->err, HEDDLE_BAD_USAGE, "%.200s:%zu: this is not YAML: %s", r->to->path,
                    parser->problem_mark.line + 1, parser->problem ? parser->problem : "out of memory");
    root = yaml_document_get_root_node(&second);
    if (root)
        status = wrong(r, root, "a second document begins here; only one is read", "");
    yaml_document_delete(&second);
    return status;
}

enum status config_parse(struct config *c, const char *path, const char *text, size_t length, struct error *err)
{
    struct config_reading r = {.to = c, .err = err};
    yaml_parser_t parser;
    enum status status;

    memset(c, 0, sizeof *c);
    if (length > CONFIG_BYTES_MOST)
        return fail(err, HEDDLE_BAD_USAGE, "%.200s: larger than 1 MiB, which is no configuration", path);
    if (!yaml_parser_initialize(&parser))
        return fail(err, HEDDLE_IO, "%.200s: no memory", path);
    c->path = memory_text(path, strlen(path));
    c->suppressions.path = memory_text(path, strlen(path));
    c->files.path = memory_text(path, strlen(path));
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    status = get_documents(&r, &parser);
    yaml_parser_delete(&parser);
    if (status != HEDDLE_OK)
        config_free(c);
    return status;
}
