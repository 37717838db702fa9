/* A breadth-first search with OpenMP through a random graph, from several places, after the manner of GAP's: threads claim the parents
 * of nodes by compare-and-exchange and hand their part of the next level over at its end. Nearly all it touches is shared. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1 << 13, DEGREE = 32, SEARCHES = 4 };

static int edges[NODES][DEGREE], parent[NODES], level[NODES], next[NODES], mine[64][NODES];

static void make_graph(void)
{
#pragma omp parallel for
    for (int node = 0; node < NODES; node++) {
        unsigned random = (unsigned)node * 2654435761u + 1;
        for (int i = 0; i < DEGREE; i++) {
            random = random * 1103515245u + 12345u;
            edges[node][i] = (int)(random >> 16) % NODES;
        }
    }
}

static void claim(int node, int from, int *found, int *count)
{
    int none = -1;

    if (__atomic_load_n(&parent[node], __ATOMIC_RELAXED) == -1 &&
        __atomic_compare_exchange_n(&parent[node], &none, from, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        found[(*count)++] = node;
}

/* The nodes of the next level, which replace those of this one. */
static int step(int length)
{
    int reached = 0;

#pragma omp parallel
    {
        int *found = mine[omp_get_thread_num() % 64], count = 0;
#pragma omp for schedule(dynamic, 64) nowait
        for (int i = 0; i < length; i++)
            for (int k = 0; k < DEGREE; k++)
                claim(edges[level[i]][k], level[i], found, &count);
        int at = __atomic_fetch_add(&reached, count, __ATOMIC_RELAXED);
        for (int i = 0; i < count; i++)
            next[at + i] = found[i];
    }
#pragma omp parallel for
    for (int i = 0; i < reached; i++)
        level[i] = next[i];
    return reached;
}

static int search(int root)
{
    int reached = 1;

#pragma omp parallel for
    for (int node = 0; node < NODES; node++)
        parent[node] = -1;
    parent[root] = root;
    level[0] = root;
    for (int length = 1; length > 0; reached += length)
        length = step(length);
    return reached;
}

int main(void)
{
    omp_set_num_threads(2);
    make_graph();
    for (int i = 0; i < SEARCHES; i++)
        printf("%d\n", search(i * 1777 % NODES));
    return 0;
}
