/* expect: race=no deadlock=no */
/* std::mutex, shared_mutex, condition_variable, call_once. */
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::shared_mutex book_lock;
static std::condition_variable changed;
static std::once_flag once;
static std::vector<std::string> book;
static int arrived, opened;

static void work(int number)
{
    std::call_once(once, [] { opened++; });
    {
        std::unique_lock<std::shared_mutex> write(book_lock);
        book.push_back("entry number " + std::to_string(number));
    }
    {
        std::shared_lock<std::shared_mutex> read(book_lock);
        if (book.empty())
            std::puts("empty");
    }
    std::lock_guard<std::mutex> hold(lock);
    arrived++;
    changed.notify_all();
}

int main()
{
    std::vector<std::thread> threads;

    for (int i = 0; i < 3; i++)
        threads.emplace_back(work, i);
    {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [] { return arrived == 3; });
    }
    for (auto &thread : threads)
        thread.join();
    std::printf("%zu %d\n", book.size(), opened);
    return book.size() != 3;
}
