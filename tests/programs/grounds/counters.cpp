// Two counters under a lock: one is printed to a stream, the other one to a string that nobody prints.
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

static std::mutex lock;
static int shown, kept;

static void work()
{
    for (int i = 0; i < 2; i++) {
        std::lock_guard<std::mutex> guard(lock);
        shown++;
        kept++;
    }
}

int main()
{
    std::thread first(work), second(work);
    std::ostringstream text;

    first.join();
    second.join();
    text << kept;
    std::cout << "shown " << shown << '\n';
}
