/* What load.c loads while it runs. */
int value;

void *plug(void *unused);

void *plug(void *unused)
{
    value++;
    return unused;
}
