/* expect: race=no deadlock=no unordered=no */
/* Exceptions that one thread throws and another catches, too: both look at them, and whoever lets go last
 * destroys them. */
#include <cstdio>
#include <exception>
#include <future>
#include <string>
#include <thread>

struct failure {
    std::string what = "a text too long for the string itself";
    int looks = 0;
    ~failure()
    {
        looks = -1;
    }
};

static std::size_t length[3];

static void fail(std::promise<void> result)
{
    try {
        throw failure();
    } catch (const failure &mine) {
        result.set_exception(std::current_exception());
        std::this_thread::yield();
        length[0] = mine.what.size();
    }
}

static void look(std::exception_ptr caught, std::size_t &result)
{
    try {
        std::rethrow_exception(caught);
    } catch (const failure &also) {
        result = also.what.size() + (std::size_t)also.looks;
    }
}

int main()
{
    std::promise<void> result;
    std::future<void> waited = result.get_future();
    std::thread failing(fail, std::move(result));
    std::exception_ptr kept;

    try {
        waited.get();
    } catch (const failure &theirs) {
        kept = std::current_exception();
        length[1] = theirs.what.size();
    }
    std::thread looking(look, kept, std::ref(length[2]));
    kept = nullptr;
    failing.join();
    looking.join();

    std::future<int> task = std::async(std::launch::async, []() -> int { throw failure(); });
    try {
        length[1] += (std::size_t)task.get();
    } catch (const failure &) {
        std::printf("%zu\n", length[0] + length[1] + length[2]);
    }
    return length[0] + length[1] + length[2] != 3 * failure().what.size();
}
