/* The page template that web/ is built into, embedded in the program. */
#include "report/html/html_parts.h"

#include <assert.h>
#include <string.h>

/* Where the report's data goes; web/index.html has it once. */
static const char hole[] = "@HEDDLE_REPORT@";

/* The assembler copies the file; CMake names it and knows that this depends on it. */
__asm__(".section .rodata\n"
        ".global heddle_page_template\n"
        "heddle_page_template:\n"
        ".incbin \"" HEDDLE_PAGE_TEMPLATE "\"\n"
        ".global heddle_page_template_end\n"
        "heddle_page_template_end:\n"
        ".byte 0\n"
        ".previous\n");

extern const char heddle_page_template[];
extern const char heddle_page_template_end[];

void template_parts(struct template_part *before, struct template_part *after)
{
    size_t length = (size_t)(heddle_page_template_end - heddle_page_template);
    const char *at = memmem(heddle_page_template, length, hole, sizeof hole - 1);

    assert(at && "the template has a hole");
    before->text = heddle_page_template;
    before->length = (size_t)(at - heddle_page_template);
    after->text = at + sizeof hole - 1;
    after->length = length - before->length - (sizeof hole - 1);
}
