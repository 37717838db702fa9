// One object for all threads, made by the first that asks. BROKEN: the pointer is looked at without the lock.
#include <cstdio>
#include <mutex>
#include <thread>

struct Settings {
    int level = 3;
    int depth = 4;
};

static Settings *instance;
static std::mutex making;

static Settings *settings()
{
#ifdef BROKEN
    if (!instance) { // planted
        std::lock_guard<std::mutex> guard(making);
        if (!instance)
            instance = new Settings; // planted
    }
    return instance; // planted
#else
    std::lock_guard<std::mutex> guard(making);
    if (!instance)
        instance = new Settings;
    return instance;
#endif
}

int main()
{
    int sums[2] = {0, 0};
    std::thread first([&] { sums[0] = settings()->level + settings()->depth; });
    std::thread second([&] { sums[1] = settings()->level + settings()->depth; });

    first.join();
    second.join();
    std::printf("%d\n", sums[0] + sums[1]);
    delete instance;
    return 0;
}
