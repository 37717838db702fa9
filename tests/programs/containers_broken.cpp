/* expect: race=yes nondet=yes deadlock=no */
/* One thread looks something up in a map while another one adds to it: what the lookup walks over is changed
 * inside the C++ library. */
#include <map>
#include <thread>

static std::map<int, int> numbers;

int main()
{
    bool found = false;

    for (int i = 0; i < 3; i++)
        numbers.emplace(i * 10, i);
    std::thread adder([] { numbers.emplace(25, 1); });
    std::thread finder([&] { found = numbers.find(30) != numbers.end(); });
    adder.join();
    finder.join();
    return found;
}
