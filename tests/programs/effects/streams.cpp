// Two threads that meet in streams of C++. The argument says how.
#include <cstring>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>

static std::ostringstream shared;
static char text[] = "abc";
static std::string line;

static void nothing()
{
}

static const struct scene {
    const char *name;
    void (*before)(), (*thread)(), (*main)(), (*after)();
} scenes[] = {
    {"output", nothing, [] { std::cout << "a"; }, [] { std::cout << "b"; }, [] { std::cout << std::endl; }},
    {"guarded", nothing, [] { std::ostream::sentry guard(std::cout); }, [] { std::cout << "b"; }, nothing},
    {"errors", nothing, [] { std::cerr << "a"; }, [] { std::clog << "b"; }, nothing},
    {"text", nothing, [] { text[0] = 'x'; }, [] { std::cout << text; }, nothing},
    {"flags", nothing, [] { std::cout << std::hex; }, [] { std::cout << 255; }, nothing},
    {"precision", nothing, [] { std::cout.precision(3); }, [] { std::cout << 1.23456; }, nothing},
    {"fill", nothing, [] { std::cout.fill('x'); }, [] { std::cout << 1; }, nothing},
    {"state", nothing, [] { shared.setstate(std::ios::failbit); }, [] { shared << 1; },
     [] { std::cout << shared.str(); }},
    {"shared", nothing, [] { shared << "a"; }, [] { shared << 1; }, [] { std::cout << shared.str(); }},
    {"line", nothing,
     [] {
         std::string other;
         std::getline(std::cin, other);
     },
     [] { std::getline(std::cin, line); }, [] { std::cout << line; }},
    {"buffered", [] { std::ios::sync_with_stdio(false); }, [] { std::cout << "a"; }, [] { std::cout << "b"; },
     nothing},
};

int main(int argc, char **argv)
{
    for (const scene &s : scenes)
        if (argc > 1 && std::strcmp(argv[1], s.name) == 0) {
            s.before();
            std::thread other(s.thread);
            s.main();
            other.join();
            s.after();
            return 0;
        }
    return 1;
}
