/* expect: race=no deadlock=no */
/* Two locks at once, in any order: std::scoped_lock tries the second and backs off. Where a try failed in the last section of the other
 * thread, no read depends on the schedule: in every run that has that try, the sections come as they did. */
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
