/* expect: race=no deadlock=no unordered=no */
/* Results that are there when their thread has ended: what it did until then, and what its thread-local
 * variables did last, is known to who waited for the result. */
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

static int late[5];
static std::mutex mutex;
static std::condition_variable condition;
static bool ready;

struct last_word {
    int *where = nullptr;
    ~last_word()
    {
        *where += 10;
    }
};
static thread_local last_word last;

static void say(int who)
{
    last.where = &late[who];
    late[who] = 1;
}

int main()
{
    std::promise<int> value, failure;
    std::promise<void> nothing;
    std::packaged_task<int()> task([] { return 2; });
    std::future<int> by_value = value.get_future(), by_failure = failure.get_future(),
                     by_task = task.get_future();
    std::future<void> by_nothing = nothing.get_future();
    int sum = 0;

    std::thread first([&] {
        value.set_value_at_thread_exit(1);
        say(0);
    });
    std::thread second([&] {
        nothing.set_value_at_thread_exit();
        say(1);
    });
    std::thread third([&] {
        failure.set_exception_at_thread_exit(std::make_exception_ptr(std::runtime_error("late")));
        say(2);
    });
    std::thread fourth([&] {
        task.make_ready_at_thread_exit();
        say(3);
    });
    std::thread fifth([] {
        std::unique_lock<std::mutex> lock(mutex);
        ready = true;
        std::notify_all_at_thread_exit(condition, std::move(lock));
        say(4);
    });

    sum += by_value.get() + late[0];
    by_nothing.get();
    sum += late[1];
    try {
        by_failure.get();
    } catch (const std::runtime_error &) {
        sum += late[2];
    }
    sum += by_task.get() + late[3];
    {
        std::unique_lock<std::mutex> lock(mutex);
        condition.wait(lock, [] { return ready; });
        sum += late[4];
    }
    for (std::thread *one : {&first, &second, &third, &fourth, &fifth})
        one->join();
    std::printf("%d\n", sum);
    return sum != 58;
}
