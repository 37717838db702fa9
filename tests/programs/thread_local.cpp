/* expect: race=no deadlock=no */
/* Thread-local objects with destructors: they run in their thread, before it is joined. */
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex lock;
static int alive, died;

struct guest {
    guest()
    {
        std::lock_guard<std::mutex> hold(lock);
        alive++;
    }
    ~guest()
    {
        std::lock_guard<std::mutex> hold(lock);
        died++;
    }
    int visits = 0;
};

static thread_local guest visitor;

int main()
{
    std::thread first([] { visitor.visits++; }), second([] { visitor.visits++; });

    first.join();
    second.join();
    std::printf("%d %d\n", alive, died);
    return died != 2;
}
