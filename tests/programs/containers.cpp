/* expect: race=no nondet=yes deadlock=no unordered=no */
/* A map, a list and a string under one lock: what the C++ library does to them is seen, and guarded. */
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::map<int, int> numbers;
static std::list<int> items;
static std::string text;

static void change(int first)
{
    for (int i = first; i < first + 6; i++) {
        std::lock_guard<std::mutex> held(lock);
        numbers[i * 5 % 7]++;
        items.push_front(i);
        text.append(3, 'a');
        if (i % 2) {
            numbers.erase(numbers.begin());
            items.reverse();
            text.insert(1, "bc");
        }
    }
}

int main()
{
    std::thread a(change, 0), b(change, 3);

    a.join();
    b.join();
    return items.size() == 12 && text.size() == 48 ? 0 : 1;
}
