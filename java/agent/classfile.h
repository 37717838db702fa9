/* A class file taken apart as far as rewriting needs: pool, names, fields, methods, and where the bytes of the
 * rest are. Everything points into the file's bytes, which must stay. */
#pragma once
#include "pool.h"

enum access_flag {
    ACCESS_PUBLIC = 0x0001,
    ACCESS_PRIVATE = 0x0002,
    ACCESS_STATIC = 0x0008,
    ACCESS_FINAL = 0x0010,
    ACCESS_SYNCHRONIZED = 0x0020,
    ACCESS_VOLATILE = 0x0040,
    ACCESS_TRANSIENT = 0x0080,
    ACCESS_NATIVE = 0x0100,
    ACCESS_INTERFACE = 0x0200,
    ACCESS_ABSTRACT = 0x0400,
    ACCESS_SYNTHETIC = 0x1000,
    ACCESS_MODULE = 0x8000,
};

enum { CLASS_OLDEST = 45, CLASS_NEWEST = 69, CLASS_WITH_FRAMES = 50, CLASS_WITH_CLASS_CONSTANTS = 49 };

/* A field or a method. */
struct feature {
    uint16_t access;
    struct span name, descriptor;
    struct span whole;      /* its bytes in the file */
    struct span attributes; /* behind their count */
    uint16_t attribute_count;
};

struct class_file {
    uint16_t minor, major;
    struct pool pool;
    uint16_t access;
    uint16_t this_index, super_index;
    struct span name, super; /* super is empty for java.lang.Object and modules */
    struct span interfaces;  /* indices, two bytes each */
    struct feature *fields;
    size_t fields_count, fields_capacity;
    struct feature *methods;
    size_t methods_count, methods_capacity;
    struct span attributes; /* of the class, with their count in front */
};

/* False when this is not a class file of a version we know, with the reason in `why`. */
bool class_read(struct class_file *class, struct span bytes, const char **why);
void class_free(struct class_file *class);

/* One attribute after the other: `left` is how many there are still. */
struct attribute {
    struct span name, content;
    struct span whole;
};
bool next_attribute(const struct pool *pool, struct cursor *in, unsigned *left, struct attribute *to);

/* The attribute of that name, or false. */
bool find_attribute(const struct pool *pool, const struct feature *feature, const char *name,
                    struct attribute *to);

/* The file name in the class's SourceFile attribute; empty when there is none. */
struct span class_source(const struct class_file *class);

/* The method that links the call which is linked when it is first made, by its entry in the pool. */
bool class_linker(const struct class_file *class, uint16_t dynamic, struct member *to);

/* Whether the feature bears the annotation, as a descriptor ("Lheddle/Atomic;"). */
bool has_annotation(const struct pool *pool, const struct feature *feature, const char *descriptor);
