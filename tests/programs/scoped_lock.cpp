/* expect: race=no nondet=yes deadlock=no */
/* Two locks at once, in any order: std::scoped_lock tries the second and backs off. */
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex first, second;
static int transfers;

static void there()
{
    for (int i = 0; i < 3; i++) {
        std::scoped_lock both(first, second);
        transfers++;
    }
}

static void back()
{
    for (int i = 0; i < 3; i++) {
        std::scoped_lock both(second, first);
        transfers--;
    }
}

int main()
{
    std::thread a(there), b(back);

    a.join();
    b.join();
    std::printf("%d\n", transfers);
    return transfers;
}
