// expect: race=yes deadlock=no
// A thread keeps references to parameters of the function that started it, and outlives the call.
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex lock;
static int total;

struct Amounts {
    int first, second;
};

__attribute__((noinline)) std::thread start(int factor, Amounts amounts)
{
    return std::thread([&] {
        std::lock_guard<std::mutex> guard(lock);
        total += factor * (amounts.first + amounts.second);
    });
}

int main(int argc, char **argv)
{
    std::thread thread = start(argc + 1, {argc, argv ? 4 : 5});

    thread.join();
    std::printf("%d\n", total != 1);
}
