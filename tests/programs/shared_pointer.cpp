/* expect: race=no deadlock=no */
/* Reference counts are atomic, the last owner deletes. */
#include <cstdio>
#include <memory>
#include <thread>

struct node {
    int value = 3;
};

int main()
{
    auto shared = std::make_shared<node>();
    std::thread first([copy = shared] { std::printf("%d\n", copy->value); });
    std::thread second([copy = shared] { std::printf("%d\n", copy->value); });

    shared.reset();
    first.join();
    second.join();
    return 0;
}
