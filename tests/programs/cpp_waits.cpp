/* expect: race=no deadlock=no */
/* C++20: latch, barrier, counting_semaphore, atomic wait, future, promise, async. */
#include <atomic>
#include <barrier>
#include <cstdio>
#include <future>
#include <latch>
#include <semaphore>
#include <thread>

static std::latch ready(2);
static std::barrier meeting(2);
static std::counting_semaphore<4> tokens(0);
static std::atomic<int> stage(0);
static int left, right, token;

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread first([&] {
        left = 1;
        ready.count_down();
        meeting.arrive_and_wait();
        left += right;
        stage.store(1);
        stage.notify_one();
        token = 5;
        tokens.release();
        promise.set_value(left);
    });
    std::thread second([] {
        right = 2;
        ready.count_down();
        meeting.arrive_and_wait();
        stage.wait(0);
        tokens.acquire();
        token++;
    });
    auto later = std::async(std::launch::async, [] { return 7; });

    ready.wait();
    int sum = future.get() + later.get();
    first.join();
    second.join();
    std::printf("%d %d\n", sum, token);
    return sum != 10;
}
