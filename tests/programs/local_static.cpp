/* expect: race=no nondet=no deadlock=no */
/* A function-local static is made once, and seen whole by everyone. */
#include <cstdio>
#include <thread>

struct table {
    int values[4];
    table()
    {
        for (int i = 0; i < 4; i++)
            values[i] = i * i;
    }
};

static const table &squares()
{
    static const table made;
    return made;
}

int main()
{
    int seen[3] = {0, 0, 0};
    std::thread threads[3];

    for (int i = 0; i < 3; i++)
        threads[i] = std::thread([&seen, i] { seen[i] = squares().values[i] + squares().values[3]; });
    for (auto &thread : threads)
        thread.join();
    std::printf("%d\n", seen[0] + seen[1] + seen[2]);
    return 0;
}
