/* The page that web/ is built into, embedded in the program. */
#include "view/view_parts.h"

/* The assembler copies the file; CMake names it and knows that this depends on it. */
__asm__(".section .rodata\n"
        ".global heddle_view_page\n"
        "heddle_view_page:\n"
        ".incbin \"" HEDDLE_VIEW_PAGE "\"\n"
        ".global heddle_view_page_end\n"
        "heddle_view_page_end:\n"
        ".byte 0\n"
        ".previous\n");

extern const char heddle_view_page[];
extern const char heddle_view_page_end[];

const char *view_page(size_t *length)
{
    *length = (size_t)(heddle_view_page_end - heddle_view_page);
    return heddle_view_page;
}
