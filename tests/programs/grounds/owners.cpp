/* Three owners of an object, who let go of it at any time: the last one destroys it, whatever the others saw of the count. */
#include <memory>
#include <thread>

int main()
{
    std::shared_ptr<int> shared = std::make_shared<int>(1);
    std::thread first([owned = shared]() mutable { owned.reset(); }),
        second([owned = shared]() mutable { owned.reset(); });

    shared.reset();
    first.join();
    second.join();
    return 0;
}
