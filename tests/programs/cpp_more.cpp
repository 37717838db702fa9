/* expect: race=no deadlock=no unordered=no */
/* The rest of the library's locks and waits: timed, recursive, shared and timed; conditions with any lock;
 * jthread and stop tokens; packaged tasks; waiting on an atomic and on a flag. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>

static std::timed_mutex timed;
static std::recursive_mutex recursive;
static std::recursive_timed_mutex both;
static std::shared_timed_mutex shared;
static std::condition_variable_any any;
static std::atomic<int> stage{0};
static std::atomic_flag flag = ATOMIC_FLAG_INIT;
static int counter, depth, turns, readings, handed, flagged;
static bool ready;

static void work()
{
    using namespace std::chrono_literals;

    for (int i = 0; i < 2; i++) {
        if (timed.try_lock_for(10s)) {
            counter++;
            timed.unlock();
        }
        {
            std::lock_guard<std::recursive_mutex> outer(recursive), inner(recursive);
            depth++;
        }
        if (both.try_lock_until(std::chrono::steady_clock::now() + 10s)) {
            turns++;
            both.unlock();
        }
        {
            std::unique_lock<std::shared_timed_mutex> writer(shared);
            readings++;
        }
        std::shared_lock<std::shared_timed_mutex> reader(shared);
        if (readings < 1)
            std::puts("lost");
    }
}

int main()
{
    std::thread one(work), two(work);
    std::jthread waiter([](std::stop_token stop) {
        std::unique_lock<std::shared_timed_mutex> lock(shared);
        any.wait(lock, stop, [] { return ready; });
    });
    std::packaged_task<int()> task([] { return 30; });
    std::future<int> result = task.get_future();
    std::thread runner(std::move(task));
    std::thread passing([] {
        handed = 5;
        stage.store(1);
        stage.notify_all();
        flagged = 6;
        flag.test_and_set();
        flag.notify_one();
    });

    stage.wait(0);
    int sum = handed;
    flag.wait(false);
    sum += flagged + result.get();
    one.join();
    two.join();
    runner.join();
    passing.join();
    waiter.request_stop();
    waiter.join();
    std::printf("%d %d\n", sum, counter + depth + turns + readings);
    return sum != 41 || depth != 4;
}
