/* Results that other threads wait for: how a future waits is no problem of the program. */
#include <future>
#include <thread>

int main()
{
    std::promise<int> given;
    std::future<int> result = given.get_future(), later = std::async(std::launch::async, [] { return 2; });
    std::thread giver([&] { given.set_value(1); });
    int sum = result.get() + later.get();

    giver.join();
    return sum != 3;
}
