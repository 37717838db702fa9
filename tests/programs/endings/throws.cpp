// A thread ends by an exception that nobody catches: throws HOW.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace shop
{
struct sold_out : std::runtime_error {
    using std::runtime_error::runtime_error;
};
} // namespace shop

int main(int argc, char **argv)
{
    std::string how = argc > 1 ? argv[1] : "";
    std::thread worker([&] {
        if (how == "int")
            throw 3;
        if (how == "type")
            throw shop::sold_out("no apples left");
    });

    worker.join();
    if (how == "caught")
        try {
            throw shop::sold_out("no pears left");
        } catch (const std::exception &) {
            std::abort();
        }
    return 0;
}
