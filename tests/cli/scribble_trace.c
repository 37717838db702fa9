/* Prints a random trace as text: scribble-trace SEED EVENTS. */
#include "support/traces.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *text;

    if (argc != 3)
        return EXIT_FAILURE;
    text = scribble((unsigned)strtoul(argv[1], NULL, 10), (unsigned)strtoul(argv[2], NULL, 10));
    fputs(text, stdout);
    free(text);
    return EXIT_SUCCESS;
}
